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
        do {
            let cut = try SessionCodec.decode(sessionCut: message.payload)
            guard let session = try work.tx.lockedSession(cut.session) else { return }
            try work.tx.sessions.noteCutOff(of: session, at: cut.at)
        } catch let error as WireError {
            work.effects.deadLetter(message, unreadable: error)
        }
    }
}
