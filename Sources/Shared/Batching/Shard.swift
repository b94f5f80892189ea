/// One of the 256 parts into which all devices, terminals and schedules are divided.
///
/// Several processes can thus share the work. The last two characters of an id, which are random hexadecimal digits,
/// select the shard. For workers, the gate adds the shard as two levels after the topic's root:
/// `ll/v1/shard/4f/device/d-…4f/report`.
package enum Shard {
    /// The number of shards.
    package static let count = 256
    /// The topic level before the shard's name.
    package static let level = "shard"

    private static let slash = UInt8(ascii: "/")
    private static let digits = Array("0123456789abcdef".utf8)

    /// Returns the shard that an id's last two characters select.
    ///
    /// If a character isn't a hexadecimal digit, its lowest four bits are used.
    package static func of(_ id: some BidirectionalCollection<UInt8>) -> UInt8 {
        let low = id.last.map(value) ?? 0
        let high = id.dropLast().last.map(value) ?? 0
        return high << 4 | low
    }

    private static func value(_ character: UInt8) -> UInt8 {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): character &- UInt8(ascii: "A") &+ 10
        default: character & 15
        }
    }

    /// Returns a shard's name in topics.
    package static func name(_ shard: UInt8) -> String {
        String(decoding: [digits[Int(shard >> 4)], digits[Int(shard & 15)]], as: UTF8.self)
    }

    /// Returns the shard for a client's topic, or nil if it has no shard.
    ///
    /// The caller passes the topic without the root and the slash after the root. The topics of messages to workers
    /// have a shard. These messages are devices' messages, terminals' requests, registrations, commands from Home
    /// Assistant, the triggers of schedules, and the gate's messages about devices. The topics of answers, commands and
    /// statuses have no shard.
    package static func ofTopic(_ rest: some BidirectionalCollection<UInt8>) -> UInt8? {
        let levels = rest.split(separator: slash, maxSplits: 4, omittingEmptySubsequences: false)
        guard levels.count > 2 else { return nil }
        func isOne(_ place: Int, _ names: String...) -> Bool {
            place < levels.count && names.contains { levels[place].elementsEqual($0.utf8) }
        }
        if isOne(0, "device") { return isOne(2, "report", "info", "presence") ? of(levels[1]) : nil }
        let isForWorkers =
            isOne(0, "app") && isOne(3, "request") || isOne(0, "product") && isOne(3, "register")
            || isOne(0, "ha") && isOne(3, "set") || isOne(0, "system") && isOne(1, "presence", "trigger")
        return isForWorkers ? of(levels[2]) : nil
    }

    /// Returns a client's topic with the shard inserted after the root, or nil if the topic has no shard.
    ///
    /// Workers receive the client's messages on the returned topic.
    package static func divided(_ topic: some BidirectionalCollection<UInt8>, root: String) -> [UInt8]? {
        let prefix = root.utf8.count + 1
        guard topic.count > prefix, topic.starts(with: root.utf8),
            topic.dropFirst(prefix - 1).first == slash,
            let shard = ofTopic(topic.dropFirst(prefix))
        else { return nil }
        return Array("\(root)/\(level)/\(name(shard))".utf8) + topic.dropFirst(prefix - 1)
    }
}
