import CSodium

/// An installation's key, which hashes short secrets and encrypts stored answers.
///
/// The key is stored in a file of mode 0600 beside the database. The key is never inside the database. A stolen
/// database alone therefore reveals neither passcodes nor encrypted answers.
package struct ServerKey: Sendable {
    /// The number of bytes of the key.
    package static let byteCount = 32

    private let sealing: [UInt8]
    private let hashing: [UInt8]
    private let labelling: [UInt8]
    /// The key's public identifier of 32 hexadecimal digits, which is stored in the database.
    package let fingerprint: String

    /// Derives the working keys, or returns nil if the number of bytes is wrong.
    package init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.byteCount else { return nil }
        Sodium.prepare()
        sealing = Self.derive(1, from: bytes)
        hashing = Self.derive(2, from: bytes)
        labelling = Self.derive(3, from: bytes)
        fingerprint = Sodium.hex(Self.derive(4, from: bytes).prefix(16))
    }

    /// Derives the working keys from the line in the key's file.
    package init?(secret: String) { self.init(Sodium.sha256(secret.utf8)) }

    private static func derive(_ id: UInt64, from key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        let context = "lamplite".utf8.map(CChar.init(bitPattern:))
        crypto_kdf_derive_from_key(&output, output.count, id, context, key)
        return output
    }

    /// Returns the keyed hash (HMAC-SHA-256) of a short secret and its subject, such as a device id.
    package func hash(_ secret: String, boundTo subject: String) -> [UInt8] {
        Self.digest(Array(subject.utf8) + [0] + Array(secret.utf8), under: hashing)
    }

    /// Returns the digest that proves that a label for `subject` is genuine.
    ///
    /// The digest is an HMAC-SHA-256 with a separate key. A hash that was made for a different purpose therefore never
    /// proves that a label is genuine.
    package func label(_ subject: String) -> [UInt8] { Self.digest(Array(subject.utf8), under: labelling) }

    private static func digest(_ input: [UInt8], under key: [UInt8]) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: 32)
        crypto_auth_hmacsha256(&output, input, UInt64(input.count), key)
        return output
    }

    /// Encrypts and authenticates bytes with XSalsa20-Poly1305, and puts a fresh random nonce in front.
    package func seal(_ bytes: [UInt8]) -> [UInt8] {
        let nonce = Sodium.randomBytes(Int(crypto_secretbox_NONCEBYTES))
        var box = [UInt8](repeating: 0, count: bytes.count + Int(crypto_secretbox_MACBYTES))
        crypto_secretbox_easy(&box, bytes, UInt64(bytes.count), nonce, sealing)
        return nonce + box
    }

    /// Decrypts bytes that `seal` encrypted, or returns nil if the bytes were changed or the key is wrong.
    package func open(_ sealed: [UInt8]) -> [UInt8]? {
        let nonceCount = Int(crypto_secretbox_NONCEBYTES)
        let macCount = Int(crypto_secretbox_MACBYTES)
        guard sealed.count >= nonceCount + macCount else { return nil }
        let nonce = Array(sealed.prefix(nonceCount))
        let box = Array(sealed.dropFirst(nonceCount))
        var bytes = [UInt8](repeating: 0, count: box.count - macCount)
        guard crypto_secretbox_open_easy(&bytes, box, UInt64(box.count), nonce, sealing) == 0 else { return nil }
        return bytes
    }
}
