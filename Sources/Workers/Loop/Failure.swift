import Mosquitto
import Storage

/// Classifies the errors of a turn.
enum Failure {
    /// Whether a message may be the cause, so that the batch would succeed without it.
    static func isMessages(_ error: any Error) -> Bool {
        !(error is MosquittoError) && !(error is DiskGuard.IsLow) && !(error is CancellationError)
            && !(error is LaneInDoubt)
            && !StoreError.isStoresFault(error)
    }

    /// Describes an error for an operator; never includes a payload.
    static func summary(_ error: any Error) -> String { StoreError.summary(error) }
}
