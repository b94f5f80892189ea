/// The SHA-256 of a secret, stored inline so that a hundred thousand digests take little memory.
///
/// The module `Credentials` doesn't compute digests. The service and the gate compute digests with libsodium.
package struct Digest: Sendable {
    private let words: (UInt64, UInt64, UInt64, UInt64)

    /// Makes a digest from the bytes of a SHA-256, or returns nil if there aren't exactly 32 bytes.
    package init?(_ bytes: some Sequence<UInt8>) {
        var words = [UInt64](repeating: 0, count: 4)
        var count = 0
        for byte in bytes {
            guard count < 32 else { return nil }
            words[count / 8] = words[count / 8] << 8 | UInt64(byte)
            count += 1
        }
        guard count == 32 else { return nil }
        self.words = (words[0], words[1], words[2], words[3])
    }

    /// Makes a digest from four big-endian words, as the reader of the credentials file provides them.
    init(words: (UInt64, UInt64, UInt64, UInt64)) { self.words = words }

    /// Parses 64 hexadecimal digits; returns nil for anything else.
    package init?(hex: String) {
        guard hex.utf8.count == 64, let bytes = Hex.bytes(of: hex) else { return nil }
        self.init(bytes)
    }

    /// The 32 bytes of the digest, as in the credentials file.
    package var bytes: [UInt8] {
        [words.0, words.1, words.2, words.3].flatMap { word in
            stride(from: 56, through: 0, by: -8).map { UInt8(truncatingIfNeeded: word >> UInt64($0)) }
        }
    }
}

extension Digest: Equatable {
    /// Compares two digests in constant time.
    package static func == (left: Digest, right: Digest) -> Bool {
        let first = (left.words.0 ^ right.words.0) | (left.words.1 ^ right.words.1)
        let second = (left.words.2 ^ right.words.2) | (left.words.3 ^ right.words.3)
        return first | second == 0
    }
}
