/// A writer that packs many messages into the payload of one MQTT message.
///
/// In each round of its loop, Mosquitto 2.0 reads one packet from each connection. A round takes longer when more
/// clients send. Workers and the broker therefore exchange many messages in one packet. The writer reuses its memory.
package struct BatchWriter {
    /// The bytes of the batch so far.
    package private(set) var bytes: [UInt8]
    /// The number of messages in the batch.
    package private(set) var count = 0

    /// The first byte of a batch: the version of its format.
    static let version: UInt8 = 1
    /// The most bytes that a message needs besides its topic, payload and properties.
    private static let headBytes = 19
    /// The maximum size of a batch of several messages, in bytes.
    package static let bytesMax = 128 << 10

    /// Makes a writer with an empty batch.
    package init() { bytes = [Self.version] }

    /// True if the batch contains no message.
    package var isEmpty: Bool { count == 0 }
    /// Whether the batch is full, so that it has no room even for the smallest message.
    package var isFull: Bool { bytes.count >= Self.bytesMax }

    /// Returns whether a message with `length` bytes of topic, payload and properties fits into this batch.
    ///
    /// The first message always fits, so that the largest possible message can fill a batch alone. A batch of several
    /// messages doesn't exceed the broker's largest packet.
    package func hasRoom(bytes length: Int) -> Bool {
        isEmpty || bytes.count + length + Self.headBytes <= Self.bytesMax
    }

    /// Removes all messages, and keeps the allocated memory.
    package mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        bytes.append(Self.version)
        count = 0
    }

    /// Adds a message, whose topic and properties must each have at most 65,535 bytes.
    package mutating func append(_ message: BatchedMessage) {
        let start = bytes.count
        bytes.append(0)
        var flags: BatchFlags = []
        if message.isAtLeastOnce { flags.insert(.atLeastOnce) }
        if message.isRetained { flags.insert(.retained) }
        if message.isCorrelationTooLong { flags.insert(.correlationTooLong) }
        append(short: message.topic)
        append(number: UInt32(truncatingIfNeeded: message.payload.count))
        bytes.append(contentsOf: message.payload)
        if let seconds = message.expirySeconds {
            flags.insert(.expiry)
            append(number: seconds)
        }
        append(message.responseTopic, .responseTopic, flags: &flags)
        append(message.correlation, .correlation, flags: &flags)
        append(message.sourceAddress, .sourceAddress, flags: &flags)
        append(message.traceparent, .traceparent, flags: &flags)
        bytes[start] = flags.rawValue
        count += 1
    }

    private mutating func append(_ piece: UnsafeBufferPointer<UInt8>?, _ flag: BatchFlags, flags: inout BatchFlags) {
        guard let piece else { return }
        flags.insert(flag)
        append(short: piece)
    }

    private mutating func append(short piece: UnsafeBufferPointer<UInt8>) {
        let count = UInt16(truncatingIfNeeded: piece.count)
        bytes.append(UInt8(truncatingIfNeeded: count >> 8))
        bytes.append(UInt8(truncatingIfNeeded: count))
        bytes.append(contentsOf: piece.prefix(Int(count)))
    }

    private mutating func append(number: UInt32) {
        for shift in stride(from: UInt32(24), through: 0, by: -8) {
            bytes.append(UInt8(truncatingIfNeeded: number >> shift))
        }
    }
}
