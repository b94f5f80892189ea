import CSodium
import Credentials

/// The hash function SHA-256 of libsodium.
enum Hash {
    /// Returns the SHA-256 of the bytes of a C string.
    static func of(_ secret: UnsafePointer<CChar>, count: Int) -> Digest? {
        secret.withMemoryRebound(to: UInt8.self, capacity: count) { bytes in
            withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 32) { out in
                guard let target = out.baseAddress else { return nil }
                target.initialize(repeating: 0, count: 32)
                crypto_hash_sha256(target, bytes, UInt64(count))
                return Digest(out)
            }
        }
    }
}
