import Domain
import Storage
import Wire

/// The gate's message that a terminal no longer has connections with a revoked session.
enum SessionCut {
    /// Returns the message's filters, for the terminals whose sessions the worker ends.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/session-cut", of: environment.divided)
    }

    /// Records on the session that it was cut off.
    static func note(_ message: Inbound, in work: inout UnitOfWork) throws {
        guard let cut = work.decode(message, with: SessionCodec.decode(sessionCut:)),
            let session = try work.tx.lockedSession(cut.session)
        else { return }
        try work.tx.sessions.noteCutOff(of: session, at: cut.at)
    }
}
