package import Domain
import Glibc
import Storage
package import Workers

/// The erasure of users by an operator, with or without a running service.
///
/// Each transaction also stores messages in the outbox. A running service publishes them within half a second. A
/// stopped service publishes them when it starts. Before `run` returns, it also writes the gate's credentials file,
/// even without a running service. Therefore, the user's tokens and rights become invalid at once.
package enum UserErasure {
    private static let actor = Actor(.operator, "lamplighter")
    private static let namesStep = 500

    /// Erases a user and the user's name in all records, and returns a summary.
    ///
    /// `progress` is called between steps. If `progress` throws, this call stops before the erasure is complete. Later,
    /// the service or another call completes the erasure.
    package static func run(
        _ user: User,
        in context: OperationContext,
        progress: () throws -> Void = {}
    ) throws -> ErasureSummary {
        let summary = try context.work { work in
            try work.tx.lock(users: [user.uid])
            let summary = try ErasureSummary(user, in: work.tx)
            try Cancellation.begin(user, by: actor, in: &work)
            return summary
        }
        var isMore = true
        while isMore {
            try progress()
            isMore = try context.work { work in try Cancellation.step(user.uid, limit: namesStep, in: &work) }
        }
        try Cancellation.finish(user.uid, in: context.store) { try context.work($0) }
        // Vacuuming can fail while another process uses the store's log. If all attempts fail, the service vacuums
        // later.
        var tries = 1
        while try !context.store.vacuumErased(), tries < 20 {
            tries += 1
            usleep(100_000)
        }
        return summary
    }
}
