import Sodium
import Synchronization

/// A password to be hashed, in memory that is overwritten after use.
///
/// Only the initializer copies the bytes. They are set to zero by `wipe`, or when the object is released. The password
/// queue wipes a job's password when the job ends. The strings of the parsed request can't be wiped.
package final class SecretBytes: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// Copies bytes, and wipes the given array unless another variable shares its memory.
    package init(_ given: consuming [UInt8]) {
        // The bytes are copied one by one. A plain copy would share the given array's memory.
        var own = [UInt8](repeating: 0, count: given.count)
        for (index, byte) in given.enumerated() { own[index] = byte }
        Sodium.wipe(&given)
        bytes = Mutex(own)
    }

    deinit { wipe() }

    /// The number of bytes, which stays the same after wiping.
    package var count: Int { bytes.withLock(\.count) }

    /// Calls `body` with the bytes; `body` must not keep a copy.
    package func withBytes<Value, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Value) throws(Failure) -> Value {
        let outcome = bytes.withLock { bytes -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Overwrites the bytes with zeros.
    package func wipe() { bytes.withLock { Sodium.wipe(&$0) } }
}
