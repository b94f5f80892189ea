import Sodium

/// Hashes and compares passwords with argon2id.
///
/// The `Providers` module is the world outside: what is slow, what may hang and what may fail for
/// reasons of its own. All of this file blocks for tens of milliseconds, so it is called on the pool
/// for slow work only, never on a worker's thread.
package struct PasswordHasher: Sendable {
    private let memoryBytes: Int
    private let passes: Int

    /// Takes the costs of new hashes; old ones say their own.
    package init(memoryKiB: Int = 19_456, passes: Int = 2) {
        precondition(memoryKiB >= 8 && passes >= 1, "argon2id takes at least 8 KiB and one pass")
        memoryBytes = memoryKiB * 1024
        self.passes = passes
    }

    /// Hashes a normalised password; the text names the algorithm, its costs and the salt.
    ///
    /// - Throws: `PasswordHasherError` when there isn't enough memory.
    package func hash(_ password: [UInt8]) throws(PasswordHasherError) -> String {
        let hash = withCopy(of: password) {
            Sodium.hashPassword($0, memoryBytes: memoryBytes, passes: passes)
        }
        guard let hash else { throw PasswordHasherError() }
        return hash
    }

    /// Tells whether a hash was made of this normalised password; false for text that is not a hash.
    package func verify(_ password: [UInt8], against encoded: String) -> Bool {
        withCopy(of: password) { Sodium.verifyPassword($0, against: encoded) }
    }

    /// Tells whether a hash was made with other costs than new ones are.
    package func needsRehash(_ encoded: String) -> Bool {
        Sodium.needsRehash(encoded, memoryBytes: memoryBytes, passes: passes)
    }

    /// Works on a copy of its own and wipes it, so that at least this copy doesn't stay in memory.
    private func withCopy<R>(of password: [UInt8], _ body: ([UInt8]) -> R) -> R {
        // Written to, or the copy would share its memory with the caller's array.
        var copy = [UInt8](repeating: 0, count: password.count)
        for (index, byte) in password.enumerated() { copy[index] = byte }
        defer { Sodium.wipe(&copy) }
        return body(copy)
    }
}

/// A hash could not be made: the machine has too little memory free.
package struct PasswordHasherError: Error {
    /// Makes the error.
    package init() {}
}
