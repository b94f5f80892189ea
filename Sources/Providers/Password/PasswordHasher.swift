import Sodium

/// A hasher that hashes and verifies passwords with argon2id.
///
/// The `Providers` module holds code that is slow, may hang, or needs other systems. Hashing takes tens of
/// milliseconds, so it runs only on the pool for slow work.
package struct PasswordHasher: Sendable {
    private let memoryBytes: Int
    private let passes: Int

    /// Makes a hasher that uses these costs for new hashes; old hashes contain their own costs.
    package init(memoryKiB: Int = 19_456, passes: Int = 2) {
        precondition(memoryKiB >= 8 && passes >= 1, "argon2id takes at least 8 KiB and one pass")
        memoryBytes = memoryKiB * 1024
        self.passes = passes
    }

    /// Hashes a normalised password, and returns a text that contains the algorithm, the costs, the salt and the hash.
    ///
    /// - Throws: `PasswordHasherError` if there isn't enough memory.
    package func hash(_ password: [UInt8]) throws(PasswordHasherError) -> String {
        let hash = withCopy(of: password) { Sodium.hashPassword($0, memoryBytes: memoryBytes, passes: passes) }
        guard let hash else { throw PasswordHasherError() }
        return hash
    }

    /// Returns whether `encoded` is a hash of the given password, which must be normalised.
    package func verify(_ password: [UInt8], against encoded: String) -> Bool {
        withCopy(of: password) { Sodium.verifyPassword($0, against: encoded) }
    }

    /// Returns whether a hash was made with costs that differ from those of new hashes.
    package func needsRehash(_ encoded: String) -> Bool {
        Sodium.needsRehash(encoded, memoryBytes: memoryBytes, passes: passes)
    }

    /// Calls `body` with a copy of a password, and then overwrites the copy.
    private func withCopy<R>(of password: [UInt8], _ body: ([UInt8]) -> R) -> R {
        // The bytes are copied one by one. Otherwise the copy would share its memory with the caller's array.
        var copy = [UInt8](repeating: 0, count: password.count)
        for (index, byte) in password.enumerated() { copy[index] = byte }
        defer { Sodium.wipe(&copy) }
        return body(copy)
    }
}

/// The error if the machine has too little free memory for a hash.
package struct PasswordHasherError: Error {}
