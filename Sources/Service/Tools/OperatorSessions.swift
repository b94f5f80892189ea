package import Domain
import Glibc
package import ServiceSettings
package import Storage
package import Workers

/// The operator's functions to end sessions and erase users, with or without a running service.
///
/// Messages are left in the store's outbox in the same transaction: a running service publishes
/// them within half a second, a stopped service when it starts. The gate's file is written before a
/// function returns, so tokens and topics are void by then either way.
package enum OperatorSessions {
    private static let actor = Actor(.operator, "lamplighter")
    private static let namesStep = 500

    /// Ends a session and returns it; nil if no live session has that id.
    package static func end(
        _ id: SessionID,
        in store: Store,
        _ settings: Settings
    ) throws -> Session? {
        try store.work(publishedBy: .session, settings) { work in
            guard let session = try work.tx.lockedSession(id), session.endedAt == nil else {
                return nil
            }
            try SessionLifecycle.end(session, because: .operator, by: actor, in: &work)
            return session
        }
    }

    /// Ends all sessions of a user; returns their number.
    package static func endAll(
        of uid: UserID,
        in store: Store,
        _ settings: Settings
    ) throws -> Int {
        try store.work(publishedBy: .session, settings) { work in
            try work.tx.lock(users: [uid])
            return try SessionLifecycle.endAll(
                of: uid,
                because: .operator,
                by: actor,
                in: &work
            )
        }
    }

    /// Erases a user, including every name in a record; returns a summary of the erased data.
    ///
    /// `progress` is called between steps and can throw to stop; the service, or another call, then
    /// does the rest.
    package static func erase(
        _ user: User,
        in store: Store,
        _ settings: Settings,
        progress: () throws -> Void = {}
    ) throws -> ErasureSummary {
        let summary = try store.work(publishedBy: .session, settings) { work in
            try work.tx.lock(users: [user.uid])
            let summary = try ErasureSummary(user, in: work.tx)
            try Cancellation.begin(user, by: actor, in: &work)
            return summary
        }
        var isMore = true
        while isMore {
            try progress()
            isMore = try store.work(publishedBy: .session, settings) { work in
                try Cancellation.step(user.uid, limit: namesStep, in: &work)
            }
        }
        // Tries again while another process uses the log; in the end the rest is left to be
        // overwritten.
        var tries = 1
        while try !store.vacuumErased(), tries < 20 {
            tries += 1
            usleep(100_000)
        }
        return summary
    }
}
