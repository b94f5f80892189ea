import Glibc

/// The broker's bytes of a topic, filter or payload, valid during one call only.
typealias Bytes = UnsafeBufferPointer<UInt8>

/// An MQTT topic filter that grants rights and is checked without allocating memory.
struct Filter: Sendable, Equatable {
    private let bytes: [UInt8]
    private let shape: Shape

    private enum Shape: Equatable {
        /// The filter has no wildcard.
        case exact
        /// The only wildcard is a final `/#`, after a prefix of this length.
        case below(Int)
        /// The filter has any other form.
        case general
    }

    /// Prepares a filter, or returns nil if the string isn't a valid MQTT filter.
    init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard bytes.withUnsafeBufferPointer(Topic.isFilter) else { return nil }
        self.bytes = bytes
        let isWildcard = bytes.map { $0 == Topic.plus || $0 == Topic.hash }
        if !isWildcard.contains(true) {
            shape = .exact
        } else if isWildcard.firstIndex(of: true) == bytes.count - 1, text.utf8.count > 1, bytes.last == Topic.hash {
            shape = .below(bytes.count - 2)
        } else {
            shape = .general
        }
    }

    /// The length of `{prefix}` in bytes if the filter is `{prefix}/#`, or else nil.
    var spaceCount: Int? { if case .below(let count) = shape { count } else { nil } }

    /// Returns whether the filter matches a topic by the rules of MQTT.
    func matches(_ topic: Bytes) -> Bool {
        bytes.withUnsafeBufferPointer { filter in
            switch shape {
            case .exact: filter.count == topic.count && Topic.begins(topic, with: filter, count: topic.count)
            case .below(let count):
                topic.count >= count && Topic.begins(topic, with: filter, count: count)
                    && (topic.count == count || topic[count] == Topic.slash)
            case .general: Topic.walk(filter, topic)
            }
        }
    }

    /// Returns whether this filter matches every topic that `filter` matches.
    func covers(_ filter: Bytes) -> Bool {
        bytes.withUnsafeBufferPointer { granted in
            guard Topic.isFilter(filter) else { return false }
            if filter.first == Topic.dollar, Topic.beginsWild(granted) { return false }
            var own = Levels(granted)
            var asked = Levels(filter)
            while let level = own.next() {
                if Topic.isHash(level) { return true }
                guard let other = asked.next(), !Topic.isHash(other) else { return false }
                guard Topic.isPlus(level) || Topic.areEqual(level, other) else { return false }
            }
            return asked.next() == nil
        }
    }
}

/// The rules of MQTT for the bytes of topics and filters.
enum Topic {
    static let slash = UInt8(ascii: "/")
    static let plus = UInt8(ascii: "+")
    static let hash = UInt8(ascii: "#")
    static let dollar = UInt8(ascii: "$")

    /// Returns whether MQTT accepts a filter, including the positions of `+` and `#`.
    static func isFilter(_ bytes: Bytes) -> Bool {
        guard !bytes.isEmpty, !bytes.contains(0) else { return false }
        var levels = Levels(bytes)
        var isPastHash = false
        while let level = levels.next() {
            if isPastHash { return false }
            isPastHash = isHash(level)
            if level.count > 1, level.contains(where: { $0 == plus || $0 == hash }) { return false }
        }
        return true
    }

    /// Returns whether MQTT accepts bytes as the topic of a message.
    static func isName(_ bytes: Bytes) -> Bool {
        !bytes.isEmpty && !bytes.contains { $0 == plus || $0 == hash || $0 == 0 }
    }

    static func isHash(_ level: Bytes) -> Bool { level.count == 1 && level.first == hash }

    static func isPlus(_ level: Bytes) -> Bool { level.count == 1 && level.first == plus }

    /// Returns whether a filter begins with a wildcard and so matches no `$` topics.
    static func beginsWild(_ filter: Bytes) -> Bool { filter.first == plus || filter.first == hash }

    static func areEqual(_ left: Bytes, _ right: Bytes) -> Bool {
        left.count == right.count && begins(left, with: right, count: left.count)
    }

    /// Returns whether two byte sequences of at least `count` bytes begin with the same `count` bytes.
    static func begins(_ bytes: Bytes, with prefix: Bytes, count: Int) -> Bool {
        guard count > 0, let left = bytes.baseAddress, let right = prefix.baseAddress else { return count == 0 }
        return memcmp(left, right, count) == 0
    }

    /// Returns whether a topic is longer than a prefix and begins with it.
    static func isBelow(_ topic: Bytes, _ prefix: [UInt8]) -> Bool {
        topic.count > prefix.count && prefix.withUnsafeBufferPointer { begins(topic, with: $0, count: $0.count) }
    }

    /// Returns whether a filter matches a topic, by comparing their levels.
    static func walk(_ filter: Bytes, _ topic: Bytes) -> Bool {
        if topic.first == dollar, beginsWild(filter) { return false }
        var wanted = Levels(filter)
        var levels = Levels(topic)
        while let level = wanted.next() {
            if isHash(level) { return true }
            guard let other = levels.next() else { return false }
            guard isPlus(level) || areEqual(level, other) else { return false }
        }
        return levels.next() == nil
    }
}

/// The levels of a topic, separated by slashes (`a/` has two levels).
struct Levels: IteratorProtocol {
    private let bytes: Bytes
    private var start = 0

    init(_ bytes: Bytes) { self.bytes = bytes }

    mutating func next() -> Bytes? {
        guard start <= bytes.count else { return nil }
        var end = start
        while end < bytes.count, bytes[end] != Topic.slash { end &+= 1 }
        defer { start = end &+ 1 }
        return Bytes(rebasing: bytes[start..<end])
    }
}
