import CSodium

/// A writer of an encrypted stream (XChaCha20-Poly1305, `crypto_secretstream`).
///
/// Each piece is authenticated. The reader refuses a piece that was changed, repeated or moved. It also refuses a piece
/// that follows a missing piece. `isLast` shows whether the stream is complete.
package struct SealedStreamWriter {
    private var state = crypto_secretstream_xchacha20poly1305_state()
    /// The header of the stream, which the reader needs before the first piece.
    package let header: [UInt8]

    /// Begins a stream, or returns nil if the key doesn't have 32 bytes.
    package init?(key: [UInt8]) {
        guard key.count == SealedStream.keyBytes else { return nil }
        Sodium.prepare()
        var header = [UInt8](repeating: 0, count: SealedStream.headerBytes)
        crypto_secretstream_xchacha20poly1305_init_push(&state, &header, key)
        self.header = header
    }

    /// Encrypts and authenticates the next piece.
    ///
    /// The result is 17 bytes longer than the piece. The bytes `bound` are authenticated but not included in the
    /// result.
    package mutating func seal(_ piece: [UInt8], boundTo bound: [UInt8], isLast: Bool) -> [UInt8] {
        var sealed = [UInt8](repeating: 0, count: piece.count + SealedStream.overheadBytes)
        let (count, boundCount, tag) = (UInt64(piece.count), UInt64(bound.count), isLast ? SealedStream.final : 0)
        crypto_secretstream_xchacha20poly1305_push(&state, &sealed, nil, piece, count, bound, boundCount, tag)
        return sealed
    }
}

/// A reader that decrypts the pieces of a `SealedStreamWriter` in their order.
package struct SealedStreamReader {
    private var state = crypto_secretstream_xchacha20poly1305_state()

    /// Begins to read a stream, or returns nil for a malformed key or header.
    package init?(key: [UInt8], header: [UInt8]) {
        guard key.count == SealedStream.keyBytes, header.count == SealedStream.headerBytes else { return nil }
        Sodium.prepare()
        guard crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key) == 0 else { return nil }
    }

    /// Decrypts the next piece, or returns nil if the piece or the key is wrong.
    package mutating func open(_ sealed: [UInt8], boundTo bound: [UInt8]) -> (piece: [UInt8], isLast: Bool)? {
        guard sealed.count >= SealedStream.overheadBytes else { return nil }
        var piece = [UInt8](repeating: 0, count: sealed.count - SealedStream.overheadBytes)
        var tag: UInt8 = 0
        let (count, boundCount) = (UInt64(sealed.count), UInt64(bound.count))
        let code =
            crypto_secretstream_xchacha20poly1305_pull(&state, &piece, nil, &tag, sealed, count, bound, boundCount)
        return code == 0 ? (piece, tag == SealedStream.final) : nil
    }
}

/// The sizes of sealed streams.
package enum SealedStream {
    /// The number of bytes of a key.
    package static let keyBytes = 32
    /// The number of bytes of the header, which precedes the first piece.
    package static let headerBytes = 24
    /// The number of bytes that encryption adds to a piece.
    package static let overheadBytes = 17
    /// The tag of the last piece.
    fileprivate static let final: UInt8 = 3
}

extension Sodium {
    /// The number of bytes of the salt for a derived key.
    package static let saltBytes = 16

    /// Derives a key of 32 bytes from a passphrase (argon2id, `crypto_pwhash`).
    ///
    /// - Returns: The key, or nil if too little memory is available or an argument is invalid.
    package static func deriveKey(passphrase: [UInt8], salt: [UInt8], memoryBytes: Int, passes: Int) -> [UInt8]? {
        guard salt.count == saltBytes, !passphrase.isEmpty, memoryBytes > 0, passes > 0 else { return nil }
        prepare()
        var key = [UInt8](repeating: 0, count: SealedStream.keyBytes)
        let (size, count, passes) = (UInt64(key.count), UInt64(passphrase.count), UInt64(passes))
        let code = withChars(passphrase) {
            crypto_pwhash(&key, size, $0, count, salt, passes, memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
        }
        return code == 0 ? key : nil
    }
}
