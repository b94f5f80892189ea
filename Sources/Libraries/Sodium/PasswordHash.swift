import CSodium

extension Sodium {
    /// Hashes a password with argon2id and a fresh salt into libsodium's text form.
    ///
    /// Hashing takes tens of milliseconds and `memoryBytes` of memory.
    /// - Returns: The hash, or nil if not enough memory is available.
    package static func hashPassword(_ password: [UInt8], memoryBytes: Int, passes: Int) -> String? {
        prepare()
        var text = [CChar](repeating: 0, count: Int(crypto_pwhash_STRBYTES))
        let (count, passes) = (UInt64(password.count), UInt64(passes))
        let code = withChars(password) {
            crypto_pwhash_str_alg(&text, $0, count, passes, memoryBytes, crypto_pwhash_ALG_ARGON2ID13)
        }
        guard code == 0 else { return nil }
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// Returns whether a hash was made from a password.
    ///
    /// The check costs as much as making the hash.
    package static func verifyPassword(_ password: [UInt8], against hash: String) -> Bool {
        prepare()
        return withChars(password) { crypto_pwhash_str_verify(hash, $0, UInt64(password.count)) } == 0
    }

    /// Returns whether a hash is malformed, or was made with other values of `memoryBytes` or `passes`
    /// (`crypto_pwhash_str_needs_rehash`).
    package static func needsRehash(_ hash: String, memoryBytes: Int, passes: Int) -> Bool {
        prepare()
        return crypto_pwhash_str_needs_rehash(hash, UInt64(passes), memoryBytes) != 0
    }

    /// Overwrites bytes with zeros in a way that the compiler can't omit (`sodium_memzero`).
    package static func wipe(_ bytes: inout [UInt8]) {
        prepare()
        bytes.withUnsafeMutableBytes { sodium_memzero($0.baseAddress, $0.count) }
    }

    /// Calls `body` with a pointer to the bytes as C characters.
    ///
    /// The pointer is valid even if the array is empty.
    static func withChars<R>(_ bytes: [UInt8], _ body: (UnsafePointer<CChar>) -> R) -> R {
        let given: [UInt8] = bytes.isEmpty ? [0] : bytes
        return given.withUnsafeBytes { buffer in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                guard let address = chars.baseAddress else {
                    preconditionFailure("an array that isn't empty has an address")
                }
                return body(address)
            }
        }
    }
}
