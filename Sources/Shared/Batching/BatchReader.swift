/// A reader that returns the messages of a batch one by one, without copying them.
package struct BatchReader: IteratorProtocol {
    private let bytes: UnsafeBufferPointer<UInt8>
    private var offset = 1

    /// Makes a reader of a batch, or returns nil if the bytes aren't a batch.
    package init?(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard bytes.first == BatchWriter.version else { return nil }
        self.bytes = bytes
    }

    /// Returns the number of messages, or nil if the batch is empty or malformed.
    package static func count(in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        guard var reader = BatchReader(bytes) else { return nil }
        var count = 0
        while reader.next() != nil { count += 1 }
        return reader.offset == bytes.count && count > 0 ? count : nil
    }

    /// Returns the next message, or nil if the batch has ended or the next bytes are malformed.
    package mutating func next() -> BatchedMessage? {
        guard offset < bytes.count else { return nil }
        let start = offset
        let flags = BatchFlags(rawValue: bytes[offset])
        offset += 1
        guard let message = message(flags) else {
            offset = start
            return nil
        }
        return message
    }

    private mutating func message(_ flags: BatchFlags) -> BatchedMessage? {
        guard let topic = piece(lengthBytes: 2), let payload = piece(lengthBytes: 4) else { return nil }
        var message = BatchedMessage(topic: topic, payload: payload)
        message.isAtLeastOnce = flags.contains(.atLeastOnce)
        message.isRetained = flags.contains(.retained)
        message.isCorrelationTooLong = flags.contains(.correlationTooLong)
        if flags.contains(.expiry) {
            guard let seconds = number(bytes: 4) else { return nil }
            message.expirySeconds = UInt32(truncatingIfNeeded: seconds)
        }
        guard read(flags.contains(.responseTopic), into: &message.responseTopic),
            read(flags.contains(.correlation), into: &message.correlation),
            read(flags.contains(.sourceAddress), into: &message.sourceAddress),
            read(flags.contains(.traceparent), into: &message.traceparent)
        else { return nil }
        return message
    }

    private mutating func read(_ isThere: Bool, into field: inout UnsafeBufferPointer<UInt8>?) -> Bool {
        guard isThere else { return true }
        field = piece(lengthBytes: 2)
        return field != nil
    }

    private mutating func piece(lengthBytes: Int) -> UnsafeBufferPointer<UInt8>? {
        guard let length = number(bytes: lengthBytes), length <= bytes.count &- offset else { return nil }
        defer { offset += length }
        return UnsafeBufferPointer(rebasing: bytes[offset..<(offset + length)])
    }

    private mutating func number(bytes count: Int) -> Int? {
        guard count <= bytes.count &- offset else { return nil }
        var value = 0
        for index in offset..<(offset + count) { value = value << 8 | Int(bytes[index]) }
        offset += count
        return value
    }
}
