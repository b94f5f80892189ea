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
        try change(store) { tx, ids, owed in
            guard let session = try tx.sessions.find(id), session.endedAt == nil else { return nil }
            let topics = Topics(root: settings.root)
            try SessionLife.end(
                session,
                .operator,
                actor: actor,
                topics,
                &ids,
                in: tx,
                owed: &owed
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
        try change(store) { tx, ids, owed in
            try SessionLife.endAll(
                of: uid,
                reason: .operator,
                actor: actor,
                Topics(root: settings.root),
                &ids,
                in: tx,
                owed: &owed
            )
        }
    }

    /// Erases a user, to the last name in a record.
    package static func erase(_ user: User, in store: Store, _ settings: Settings) throws {
        let topics = Topics(root: settings.root)
        try change(store) { tx, ids, owed in
            try Cancellation.begin(
                user,
                actor: actor,
                topics,
                &ids,
                in: tx,
                owed: &owed
            )
        }
        var isMore = true
        while isMore {
            isMore = try change(store) { tx, ids, owed in
                try Cancellation.step(
                    user.uid,
                    topics,
                    &ids,
                    limit: namesStep,
                    in: tx,
                    owed: &owed
                )
            }
        }
        // It is tried again while another process uses the log; in the end the rest is left to be overwritten.
        var tries = 1
        while try !store.scrub(), tries < 20 {
            tries += 1
            usleep(100_000)
        }
    }

    private static func change<Value>(
        _ store: Store,
        _ body: (Transaction, inout IDSource, inout Owed) throws -> Value
    ) throws -> Value {
        var ids = IDSource()
        return try store.batch(at: SystemClock().now) { tx in
            var owed = Owed()
            let value = try body(tx, &ids, &owed)
            try owed.leave(to: .session, in: tx)
            return value
        }
    }
}
