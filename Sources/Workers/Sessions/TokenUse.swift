import Domain
import Storage
import Wire

/// Handles the gate's message that a terminal connected with a token for the first time, which ends the previous one,
/// or the app secret's way in.
///
/// Every worker that checks tokens gets it, in order among the requests: a later request with the old token is
/// refused by each of them.
enum TokenUse {
    /// Returns the filters for the message: of the terminals whose requests the worker answers.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/token-used", of: environment.divided)
    }

    /// Notes the use, and ends the old token.
    static func note(_ message: Inbound, in work: inout UnitOfWork) throws {
        do {
            let used = try SessionCodec.decode(tokenUsed: message.payload)
            guard let session = try work.tx.lockedSession(used.session) else { return }
            try work.tx.sessions.noteFirstUse(of: session)
            guard let until = used.until else { return }
            try work.tx.sessions.endOldToken(of: session, until: until)
        } catch let error as WireError {
            work.effects.deadLetter(message, unreadable: error)
        }
    }
}
