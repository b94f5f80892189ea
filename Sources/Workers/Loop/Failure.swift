import Logging
import Mosquitto
import Storage

/// The classification of a turn's errors.
enum Failure {
    /// Returns whether a message may be the cause of an error.
    static func isMessages(_ error: any Error) -> Bool {
        !(error is MosquittoError) && !(error is DiskGuard.IsLow) && !(error is CancellationError)
            && !(error is LaneInDoubt)
            && !StoreError.isStoresFault(error)
    }

    /// Returns whether a failed batch can succeed, at least partly, if it is divided into parts.
    ///
    /// Parts can succeed if one message may be the cause of the error. They can also succeed if several messages
    /// together took too long.
    static func mayPass(_ error: any Error, inPartsOf count: Int) -> Bool {
        count > 0 && isMessages(error) || count > 1 && StoreError.isTooLong(error)
    }
}

extension Logger {
    /// Logs a warning, with an error as its cause.
    func warning(_ message: Logger.Message, because error: any Error) {
        warning(message, metadata: ["error": "\(error)"])
    }
}
