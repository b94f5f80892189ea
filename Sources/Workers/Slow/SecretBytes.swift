import Sodium
import Synchronization

/// A password on its way to being hashed, in memory that is overwritten when it is no longer needed.
///
/// The one owner of its bytes: they are copied in, never out, and zeroed by `wipe` or, at the latest,
/// when the last reference goes. The queue of passwords wipes each job's after it ran and when it is
/// refused. What this type can't reach are the texts that the request was parsed from.
package final class SecretBytes: Sendable {
    private let bytes: Mutex<[UInt8]>

    /// Takes bytes over and wipes the array that they came in, where nobody else holds it.
    package init(_ given: consuming [UInt8]) {
        // Written to, or the copy would share its memory with the given array.
        var own = [UInt8](repeating: 0, count: given.count)
        for (index, byte) in given.enumerated() { own[index] = byte }
        Sodium.wipe(&given)
        bytes = Mutex(own)
    }

    deinit { wipe() }

    /// How many bytes there are; a wiped secret has as many.
    package var count: Int { bytes.withLock(\.count) }

    /// Hands the bytes to somebody who keeps no copy.
    package func withBytes<Value, Failure: Error>(
        _ body: ([UInt8]) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let outcome = bytes.withLock { bytes -> Result<Value, Failure> in
            do throws(Failure) { return .success(try body(bytes)) } catch { return .failure(error) }
        }
        return try outcome.get()
    }

    /// Overwrites the bytes with zeros, at once and for good.
    package func wipe() { bytes.withLock { Sodium.wipe(&$0) } }
}
