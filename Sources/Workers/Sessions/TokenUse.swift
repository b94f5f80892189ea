import Domain
import Storage
import Wire

/// The handling of the gate's message about a terminal's first connection with a token.
///
/// This connection ends the previous token, or the terminal's access with the app's secret. Each worker that checks
/// tokens receives this message between requests. The worker refuses the old token in all later requests.
enum TokenUse {
    /// Returns the topic filters for the gate's message; if the work is divided, only for the worker's shards.
    static func filters(_ environment: Environment) -> [String] {
        environment.topics.filters("system/token-used", of: environment.divided)
    }

    /// Records the first use of a token, and invalidates the old token.
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
