import Domain
import Storage
import Wire

/// The gate's message that a terminal first connected with a token, which ends the previous token or the access by app
/// secret.
///
/// Every worker that checks tokens receives it, in order among the requests, and refuses later requests with the old
/// token.
enum TokenUse {
    /// Returns the message's filters, for the terminals whose requests the worker answers.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/token-used", of: environment.divided)
    }

    /// Records the use, and ends the old token.
    static func note(_ message: Inbound, in work: inout UnitOfWork) throws {
        guard let used = work.decode(message, with: SessionCodec.decode(tokenUsed:)) else { return }
        guard let session = try work.tx.lockedSession(used.session) else {
            guard let key = try work.tx.keys.find(used.session), let until = used.until else { return }
            return try work.tx.keys.endOldToken(of: key, until: until)
        }
        try work.tx.sessions.noteFirstUse(of: session)
        guard let until = used.until else { return }
        try work.tx.sessions.endOldToken(of: session, until: until)
    }
}
