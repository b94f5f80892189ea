package import Domain
import Glibc
package import Storage
import Wire
import Workers

/// Ends sessions and erases users on an operator's request, beside the service that may be running.
///
/// Messages to be published are left in the store's outbox in the same transaction: a running service publishes
/// them within half a second, one that is down when it starts. The gate's file is written before this returns,
/// so tokens and topics are void by then either way.
package enum OperatorSessions {
    private static let actor = Actor(.operator, "lamplighter")
    private static let namesStep = 500

    /// Ends one session; nil when no live session has that id.
    package static func end(
        _ id: SessionID,
        in store: Store,
        _ settings: Settings
    ) throws -> Session? {
        try change(store) { tx, ids, effects in
            guard let session = try tx.sessions.find(id), session.endedAt == nil else { return nil }
            let topics = Topics(root: settings.root)
            try SessionLifecycle.end(
                session,
                .operator,
                actor: actor,
                topics,
                &ids,
                in: tx,
                effects: &effects
            )
            return session
        }
    }

    /// Ends all sessions of a user; returns how many.
    package static func endAll(
        of uid: UserID,
        in store: Store,
        _ settings: Settings
    ) throws -> Int {
        try change(store) { tx, ids, effects in
            try SessionLifecycle.endAll(
                of: uid,
                reason: .operator,
                actor: actor,
                Topics(root: settings.root),
                &ids,
                in: tx,
                effects: &effects
            )
        }
    }

    /// Erases a user, to the last name in a record.
    package static func erase(_ user: User, in store: Store, _ settings: Settings) throws {
        let topics = Topics(root: settings.root)
        try change(store) { tx, ids, effects in
            try Cancellation.begin(
                user,
                actor: actor,
                topics,
                &ids,
                in: tx,
                effects: &effects
            )
        }
        var isMore = true
        while isMore {
            isMore = try change(store) { tx, ids, effects in
                try Cancellation.step(
                    user.uid,
                    topics,
                    &ids,
                    limit: namesStep,
                    in: tx,
                    effects: &effects
                )
            }
        }
        // It is tried again while another process uses the log; in the end the rest is left to be overwritten.
        var tries = 1
        while try !store.vacuumErased(), tries < 20 {
            tries += 1
            usleep(100_000)
        }
    }

    private static func change<Value>(
        _ store: Store,
        _ body: (Transaction, inout IDSource, inout Effects) throws -> Value
    ) throws -> Value {
        var ids = IDSource()
        return try store.batch(at: SystemClock().now) { tx in
            var effects = Effects()
            let value = try body(tx, &ids, &effects)
            try effects.leave(to: .session, in: tx)
            return value
        }
    }
}
