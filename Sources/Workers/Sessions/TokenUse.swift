import Domain
import Storage
import Wire

/// Handles the gate's message that a terminal connected with a refreshed token, which ends the previous one.
///
/// Every worker that checks tokens gets it, in order among the requests: a later request with the old token is
/// refused by each of them.
enum TokenUse {
    /// Returns the filters for the message: of the terminals whose requests the worker answers.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/token-used", of: environment.divided)
    }

    /// Ends the old token.
    static func note(_ message: Inbound, in work: inout UnitOfWork) throws {
        do {
            let used = try SessionCodec.decode(tokenUsed: message.payload)
            guard let session = try work.tx.lockedSession(used.session) else { return }
            try work.tx.sessions.endOldToken(of: session, until: used.until)
        } catch let error as WireError {
            work.effects.deadLetter(message, unreadable: error)
        }
    }
}
