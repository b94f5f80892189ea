import Wire

/// The rule that finds a topic's party, such as a device, terminal or user.
struct Parties: Sendable {
    /// A kind of party.
    enum Kind {
        /// The service itself, whose messages are few and are handled first.
        case service
        /// A device that registers, whose id is not known yet.
        case registration
        /// A device, a terminal or a link, which sends messages and gets answers.
        case sender
        /// A user, who gets statuses and notifications.
        case user
    }

    /// A party, identified by a hash; parties with equal hashes share their turns.
    struct Party {
        var kind: Kind
        var key: UInt64
    }

    private let root: [UInt8]
    private let longReadings: [[UInt8]]

    /// Creates the rule; `longReadings` are the worker's methods that read much data.
    init(_ topics: Topics, longReadings: [String] = []) {
        root = Array("\(topics.root)/".utf8)
        self.longReadings = longReadings.map { Array("/request/\($0)".utf8) }
    }

    /// Returns whether a topic belongs to a request that reads a lot of data.
    func isLongReading(_ topic: ArraySlice<UInt8>) -> Bool {
        longReadings.contains { topic.suffix($0.count).elementsEqual($0) }
    }

    /// Returns the party of a received message.
    func party(of topic: ArraySlice<UInt8>) -> Party { topic.withUnsafeBufferPointer(party) }

    /// Returns the party of a message to be published.
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
        case UInt8(ascii: "d"): return Party(kind: .sender, key: Self.hash(topic, from: start + 7, levels: 1))
        case UInt8(ascii: "a"): return Party(kind: .sender, key: Self.hash(topic, from: start, levels: 3))
        case UInt8(ascii: "h"): return Party(kind: .sender, key: Self.hash(topic, from: start, levels: 2))
        case UInt8(ascii: "u"): return Party(kind: .user, key: Self.hash(topic, from: start, levels: 2))
        case UInt8(ascii: "p"): return Party(kind: .registration, key: Self.hash(topic, from: start, levels: 3))
        default: return service(topic, start)
        }
    }

    private static let presence = Array("system/presence/".utf8)

    /// Returns the party of a message from the service; a presence message counts as a message of its device.
    private func service(_ topic: UnsafeBufferPointer<UInt8>, _ start: Int) -> Party {
        guard topic.dropFirst(start).starts(with: Self.presence) else {
            return Party(kind: .service, key: Self.hash(topic, from: start, levels: .max))
        }
        let device = start + Self.presence.count
        return Party(kind: .sender, key: Self.hash(topic, from: device, levels: 1))
    }

    /// Returns a hash of some levels of a topic; the hashes of similar names differ in many bits.
    private static func hash(_ topic: UnsafeBufferPointer<UInt8>, from start: Int, levels: Int) -> UInt64 {
        var left = levels
        let part = topic.dropFirst(start).prefix { byte in
            if byte == UInt8(ascii: "/") { left -= 1 }
            return left > 0
        }
        var hash = FNV1a.hash64(UnsafeBufferPointer(rebasing: part))
        hash = (hash ^ hash >> 32) &* 0x9E37_79B9_7F4A_7C15
        return hash ^ hash >> 29
    }
}
