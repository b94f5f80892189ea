/// Random names for clients that are created for a single run.
package enum RandomHex {
    /// Returns `count` random bytes as lower-case hex digits, two for each byte.
    package static func digits(bytes count: Int) -> String {
        (0..<count).map { _ in
            let byte = UInt8.random(in: 0...255)
            return String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}
