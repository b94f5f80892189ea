package import Domain
import Glibc
import Storage
package import Workers

/// The erasure of users by an operator, with or without a running service.
///
/// Messages are left in the store's outbox in the same transaction: a running service publishes them within half a
/// second, a stopped service when it starts. The gate's file is written before a function returns, so in both cases
/// tokens and topics are void when it returns.
package enum UserErasure {
    private static let actor = Actor(.operator, "lamplighter")
    private static let namesStep = 500

    /// Erases a user, including every name in a record; returns a summary of the erased data.
    ///
    /// `progress` is called between steps and can throw to stop; the service, or another call, then does the rest.
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
        // Tries again while another process uses the log; in the end the rest is left to be overwritten.
        var tries = 1
        while try !context.store.vacuumErased(), tries < 20 {
            tries += 1
            usleep(100_000)
        }
        return summary
    }
}
