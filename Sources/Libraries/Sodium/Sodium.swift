import CSodium

/// A Swift interface to libsodium, for random bytes, digests, keyed digests and encryption.
///
/// Each function that needs `sodium_init` first makes sure that `sodium_init` has run. This works on any thread.
package enum Sodium {
    private static let isReady = sodium_init() >= 0

    static func prepare() { precondition(isReady, "libsodium can't be initialised") }

    /// Returns unpredictable random bytes (`randombytes_buf`).
    package static func randomBytes(_ count: Int) -> [UInt8] {
        prepare()
        var bytes = [UInt8](repeating: 0, count: count)
        randombytes_buf(&bytes, count)
        return bytes
    }

    /// Returns the SHA-256 digest of bytes (`crypto_hash_sha256`), which has 32 bytes.
    package static func sha256(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        prepare()
        let input = Array(bytes)
        var digest = [UInt8](repeating: 0, count: 32)
        crypto_hash_sha256(&digest, input, UInt64(input.count))
        return digest
    }

    /// Returns whether two secrets are equal, in constant time for equal lengths (`sodium_memcmp`).
    package static func areEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }

    /// Returns a new random secret of 256 bits, as 43 characters of base64url.
    package static func randomSecret() -> String { base64URL(randomBytes(32)) }

    /// Returns bytes as lowercase hexadecimal digits, two for each byte.
    package static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    /// Returns bytes as base64url without padding (RFC 4648 section 5).
    package static func base64URL(_ bytes: [UInt8]) -> String {
        encode(bytes, variant: sodium_base64_VARIANT_URLSAFE_NO_PADDING)
    }

    /// Returns bytes as base64 with padding (RFC 4648 section 4).
    package static func base64(_ bytes: [UInt8]) -> String { encode(bytes, variant: sodium_base64_VARIANT_ORIGINAL) }

    /// Decodes base64 with padding; returns nil if it is malformed.
    package static func bytes(base64 text: String) -> [UInt8]? {
        prepare()
        let size = text.utf8.count
        var output = [UInt8](repeating: 0, count: size)
        var count = 0
        let variant = sodium_base64_VARIANT_ORIGINAL
        let code = sodium_base642bin(&output, size, text, size, nil, &count, nil, variant)
        return code == 0 ? Array(output.prefix(count)) : nil
    }

    private static func encode(_ bytes: [UInt8], variant: Int32) -> String {
        prepare()
        let capacity = sodium_base64_encoded_len(bytes.count, variant)
        var output = [CChar](repeating: 0, count: capacity)
        sodium_bin2base64(&output, capacity, bytes, bytes.count, variant)
        return String(decoding: output.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
