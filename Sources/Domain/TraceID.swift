/// A trace id (W3C Trace Context), which identifies a request in the log.
///
/// The documentation describes trace ids (reference: operation#traces).
package struct TraceID: Sendable, Hashable {
    private let high: UInt64
    private let low: UInt64

    /// The length in bytes of a `traceparent` such as `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`.
    package static let traceparentBytes = 55

    private init?(high: UInt64, low: UInt64) {
        guard high != 0 || low != 0 else { return nil }
        (self.high, self.low) = (high, low)
    }

    /// Makes a random id.
    package static func make() -> TraceID {
        while true {
            let high = UInt64.random(in: 0 ... .max)
            let low = UInt64.random(in: 0 ... .max)
            if let id = TraceID(high: high, low: low) { return id }
        }
    }

    /// Parses a `traceparent` of version 00 with a nonzero trace id, or returns nil.
    package init?(traceparent bytes: some Collection<UInt8>) {
        let parts = bytes.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard bytes.count == Self.traceparentBytes, parts.map(\.count) == [2, 32, 16, 2],
            parts[0].elementsEqual("00".utf8), let trace = TraceID(hex: parts[1]), let parent = Self.number(parts[2]),
            parent != 0, Self.number(parts[3]) != nil
        else { return nil }
        self = trace
    }

    /// Parses a nonzero trace id of 32 hex digits, or returns nil.
    package init?(_ text: String) { self.init(hex: text.utf8) }

    private init?(hex digits: some Collection<UInt8>) {
        guard digits.count == 32, let high = Self.number(digits.prefix(16)), let low = Self.number(digits.suffix(16))
        else { return nil }
        self.init(high: high, low: low)
    }

    /// Parses at most 16 lowercase hex digits.
    private static func number(_ digits: some Collection<UInt8>) -> UInt64? {
        guard digits.allSatisfy(\.isLowercaseHex) else { return nil }
        return UInt64(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    /// The trace id as 32 hex digits.
    package var text: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
