import Mosquitto
import Storage

/// Sorts what went wrong in a turn.
enum Failure {
    /// Whether a message may be at fault, so that the batch without it would go through.
    static func isMessages(_ error: any Error) -> Bool {
        !(error is MosquittoError) && !(error is DiskGuard.IsLow) && !(error is CancellationError)
            && !StoreError.isStoresFault(error)
    }

    /// What went wrong in words for an operator; never a payload.
    static func summary(_ error: any Error) -> String { StoreError.summary(error) }
}
