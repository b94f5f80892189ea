import Sodium
import Synchronization

/// A password that waits to be hashed, in memory that is overwritten when it is no longer needed.
///
/// It is the only owner of its bytes: they are copied in, never out, and zeroed by `wipe` or, at the latest, with the
/// last reference. The password queue wipes each job's password after the job ran or was refused. This type can't wipe
/// the strings from which the request was parsed.
package final class SecretBytes: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// Copies bytes and wipes the given array, unless it is shared.
    package init(_ given: consuming [UInt8]) {
        // Copied byte by byte: a plain copy would share its memory with the given array.
        var own = [UInt8](repeating: 0, count: given.count)
        for (index, byte) in given.enumerated() { own[index] = byte }
        Sodium.wipe(&given)
        bytes = Mutex(own)
    }

    deinit { wipe() }

    /// The number of bytes, also after wiping.
    package var count: Int { bytes.withLock(\.count) }

    /// Calls `body` with the bytes; it must keep no copy.
    package func withBytes<Value, Failure: Error>(_ body: ([UInt8]) throws(Failure) -> Value) throws(Failure) -> Value {
        let outcome = bytes.withLock { bytes -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Overwrites the bytes with zeros.
    package func wipe() { bytes.withLock { Sodium.wipe(&$0) } }
}
