import TestKit
import Testing

@testable import Batching

@Suite("A batch of messages")
struct BatchTests {
    /// A copy of a batched message, which tests can store and compare.
    struct Value: Equatable {
        var topic: [UInt8]
        var payload: [UInt8]
        var isAtLeastOnce = true
        var isRetained = false
        var isCorrelationTooLong = false
        var expirySeconds: UInt32?
        var responseTopic: [UInt8]?
        var correlation: [UInt8]?
        var sourceAddress: [UInt8]?
        var traceparent: [UInt8]?

        init(topic: [UInt8], payload: [UInt8]) {
            self.topic = topic
            self.payload = payload
        }

        init(_ message: BatchedMessage) {
            self.init(topic: Array(message.topic), payload: Array(message.payload))
            isAtLeastOnce = message.isAtLeastOnce
            isRetained = message.isRetained
            isCorrelationTooLong = message.isCorrelationTooLong
            expirySeconds = message.expirySeconds
            responseTopic = message.responseTopic.map(Array.init)
            correlation = message.correlation.map(Array.init)
            sourceAddress = message.sourceAddress.map(Array.init)
            traceparent = message.traceparent.map(Array.init)
        }

        /// Calls `body` with a batched message, whose buffers are valid only during the call.
        func with(_ body: (BatchedMessage) -> Void) {
            let pieces = [
                topic, payload, responseTopic ?? [], correlation ?? [], sourceAddress ?? [], traceparent ?? [],
            ]
            let all = pieces.flatMap { $0 }
            all.withUnsafeBufferPointer { all in
                var start = 0
                let places = pieces.map { piece in
                    defer { start += piece.count }
                    return UnsafeBufferPointer(rebasing: all[start..<(start + piece.count)])
                }
                var message = BatchedMessage(topic: places[0], payload: places[1])
                message.isAtLeastOnce = isAtLeastOnce
                message.isRetained = isRetained
                message.isCorrelationTooLong = isCorrelationTooLong
                message.expirySeconds = expirySeconds
                message.responseTopic = responseTopic.map { _ in places[2] }
                message.correlation = correlation.map { _ in places[3] }
                message.sourceAddress = sourceAddress.map { _ in places[4] }
                message.traceparent = traceparent.map { _ in places[5] }
                body(message)
            }
        }

        static func random(_ random: inout some RandomNumberGenerator) -> Value {
            func bytes(_ most: Int, _ random: inout some RandomNumberGenerator) -> [UInt8] {
                (0..<Int.random(in: 0...most, using: &random)).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
            }
            var value = Value(topic: bytes(80, &random), payload: bytes(700, &random))
            value.isAtLeastOnce = .random(using: &random)
            value.isRetained = .random(using: &random)
            value.isCorrelationTooLong = .random(using: &random)
            if .random(using: &random) { value.expirySeconds = .random(in: 0 ... .max, using: &random) }
            if .random(using: &random) { value.responseTopic = bytes(300, &random) }
            if .random(using: &random) { value.correlation = bytes(128, &random) }
            if .random(using: &random) { value.sourceAddress = bytes(39, &random) }
            if .random(using: &random) { value.traceparent = bytes(55, &random) }
            return value
        }
    }

    private static func written(_ values: [Value]) -> BatchWriter {
        var writer = BatchWriter()
        for value in values { value.with { writer.append($0) } }
        return writer
    }

    private static func read(_ bytes: [UInt8]) -> [Value]? {
        bytes.withUnsafeBufferPointer { bytes in
            guard BatchReader.count(in: bytes) != nil, var reader = BatchReader(bytes) else { return nil }
            var values: [Value] = []
            while let message = reader.next() { values.append(Value(message)) }
            return values
        }
    }

    @Test("A batch returns each message unchanged", arguments: 0..<50)
    func roundTrip(seed: Int) {
        var random = Seed(seed)
        let values = (0..<Int.random(in: 1...40, using: &random)).map { _ in Value.random(&random) }

        let writer = Self.written(values)

        #expect(writer.count == values.count)
        #expect(Self.read(writer.bytes) == values)
    }

    @Test("An emptied batch contains only the messages added later")
    func emptied() {
        var random = Seed(7)
        let (first, second) = (Value.random(&random), Value.random(&random))
        var writer = Self.written([first])

        writer.removeAll()
        #expect(writer.isEmpty)
        #expect(Self.read(writer.bytes) == nil)
        second.with { writer.append($0) }

        #expect(Self.read(writer.bytes) == [second])
    }

    @Test("A batch that is truncated or has an extra byte is refused")
    func damaged() {
        var random = Seed(11)
        let bytes = Self.written((0..<3).map { _ in Value.random(&random) }).bytes
        let ends = Set(
            (1...3).map { count in
                var random = Seed(11)
                return Self.written((0..<count).map { _ in Value.random(&random) }).bytes.count
            }
        )

        for count in 0..<bytes.count where !ends.contains(count) {
            #expect(Self.read(Array(bytes[..<count])) == nil, "cut behind \(count) bytes")
        }
        #expect(Self.read(bytes + [0]) == nil)
        #expect(Self.read([2] + bytes.dropFirst()) == nil, "another version")
    }

    @Test("Random bytes are read without a trap and without reading out of bounds", arguments: 0..<200) func noise(
        seed: Int
    ) {
        var random = Seed(seed)
        let bytes =
            [1] + (0..<Int.random(in: 0...300, using: &random)).map { _ in UInt8.random(in: 0...12, using: &random) }

        guard let values = Self.read(bytes) else { return }

        #expect(values.reduce(0) { $0 + $1.topic.count + $1.payload.count } < bytes.count)
    }

    @Test("A message that would make the batch larger than a packet is not added")
    func room() {
        let large = Value(topic: [1], payload: Array(repeating: 7, count: 256 << 10))
        var writer = BatchWriter()

        #expect(writer.hasRoom(bytes: 256 << 10))
        large.with { writer.append($0) }
        #expect(writer.isFull)
        #expect(!writer.hasRoom(bytes: 1))
        writer.removeAll()
        Value(topic: [1], payload: [2]).with { writer.append($0) }
        #expect(writer.hasRoom(bytes: 1_000))
        #expect(!writer.hasRoom(bytes: 256 << 10))
    }

    @Test("A batch counts the bytes that its messages take", arguments: 0..<50)
    func size(seed: Int) {
        var random = Seed(seed)
        var writer = BatchWriter()
        while true {
            let value = Value.random(&random)
            var hasRoom = true
            value.with { message in
                hasRoom = writer.hasRoom(bytes: message.bytes)
                if hasRoom { writer.append(message) }
            }
            #expect(writer.bytes.count <= BatchWriter.bytesMax)
            if !hasRoom { break }
        }
        #expect(writer.bytes.count > BatchWriter.bytesMax - 2_000)
    }
}
