import Domain
import Storage
import Wire

/// The handling of the gate's report that all connections of a revoked session are closed.
enum SessionCut {
    /// Returns the filters for `system/session-cut`, limited to the worker's shards if the work is divided.
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
