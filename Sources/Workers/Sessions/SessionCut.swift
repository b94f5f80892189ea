import Domain
import Storage
import Wire

/// Handles the gate's message that a terminal has no connection with a session any more, which was revoked there.
enum SessionCut {
    /// Returns the filters for the message: of the terminals whose sessions the worker ends.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/session-cut", of: environment.divided)
    }

    /// Notes it on the session.
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
