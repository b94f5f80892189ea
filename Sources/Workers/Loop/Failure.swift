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

    /// Whether so many messages may get through in parts where together they don't: one of them is to blame, and then
    /// one alone too, or they took too long.
    static func mayPass(_ error: any Error, inPartsOf count: Int) -> Bool {
        count > 0 && isMessages(error) || count > 1 && StoreError.isTooLong(error)
    }

    /// Describes an error for an operator; never includes a payload.
    static func summary(_ error: any Error) -> String { StoreError.summary(error) }
}
