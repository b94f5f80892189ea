import Domain
import Storage
import Wire

/// The handling of the gate's message that no connection with a revoked session remains.
enum SessionCut {
    /// Returns the topic filters of the message, for the terminals whose sessions the worker ends.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/session-cut", of: environment.divided)
    }

    /// Records the time at which a session's connections were closed.
    static func note(_ message: Inbound, in work: inout UnitOfWork) throws {
        guard let cut = work.decode(message, with: SessionCodec.decode(sessionCut:)),
            let session = try work.tx.lockedSession(cut.session)
        else { return }
        try work.tx.sessions.noteCutOff(of: session, at: cut.at)
    }
}
