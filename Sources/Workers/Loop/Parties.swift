import Wire

/// Tells whom a topic belongs to: the device, terminal or user that sends or receives there.
///
/// What belongs to one party stays in order, and parties take turns.
struct Parties: Sendable {
    /// What kind of party it is.
    enum Kind {
        /// The service itself: its words are few, and go before others'.
        case service
        /// One that registers a device, which may be any.
        case registration
        /// A device or a terminal: what goes to it answers something.
        case sender
        /// A user, who is told what happens.
        case user
    }

    /// A party, by a number that two hardly ever share; those who do share their turns.
    struct Party {
        var kind: Kind
        var key: UInt64
    }

    private let root: [UInt8]

    init(_ topics: Topics) { root = Array("\(topics.root)/".utf8) }

    /// The party of a message that came.
    func party(of topic: ArraySlice<UInt8>) -> Party { topic.withUnsafeBufferPointer(party) }

    /// The party of a message that goes.
    func party(of topic: String) -> Party {
        var topic = topic
        return topic.withUTF8(party)
    }

    private func party(_ topic: UnsafeBufferPointer<UInt8>) -> Party {
        guard topic.count > root.count, topic.prefix(root.count).elementsEqual(root) else {
            return Party(kind: .service, key: Self.hash(topic, from: 0, levels: .max))
        }
        let start = root.count
        switch topic[start] {
        case UInt8(ascii: "d"):
            return Party(kind: .sender, key: Self.hash(topic, from: start + 7, levels: 1))
        case UInt8(ascii: "a"):
            return Party(kind: .sender, key: Self.hash(topic, from: start, levels: 3))
        case UInt8(ascii: "u"):
            return Party(kind: .user, key: Self.hash(topic, from: start, levels: 2))
        case UInt8(ascii: "p"):
            return Party(kind: .registration, key: Self.hash(topic, from: start, levels: 3))
        default: return service(topic, start)
        }
    }

    private static let presence = Array("system/presence/".utf8)

    /// What the gate says of a device stays in order with what the device says.
    private func service(_ topic: UnsafeBufferPointer<UInt8>, _ start: Int) -> Party {
        guard topic.dropFirst(start).starts(with: Self.presence) else {
            return Party(kind: .service, key: Self.hash(topic, from: start, levels: .max))
        }
        let device = start + Self.presence.count
        return Party(kind: .sender, key: Self.hash(topic, from: device, levels: 1))
    }

    /// FNV-1a over so many levels, and its bits mixed: names often differ in their last letter only.
    private static func hash(
        _ topic: UnsafeBufferPointer<UInt8>,
        from start: Int,
        levels: Int
    ) -> UInt64 {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        var left = levels
        var index = start
        while index < topic.count {
            let byte = topic[index]
            if byte == UInt8(ascii: "/") {
                left -= 1
                if left == 0 { break }
            }
            hash = (hash ^ UInt64(byte)) &* 0x0000_0100_0000_01B3
            index += 1
        }
        hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 29
    }
}
