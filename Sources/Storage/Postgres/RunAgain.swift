import Glibc
import PostgreSQL
import Synchronization

/// The repetition of a transaction after a conflict with another transaction, or after the answer to its commit was
/// lost.
///
/// A transaction that lasted too long is repeated once, since the server may have been slow for a moment. The same work
/// usually succeeds then. The first run was either undone or committed: message ids, unique keys and `CommitMark` make
/// a second run harmless.
final class RunAgain: Sendable {
    /// How often a transaction is tried, including the first time.
    static let runsMax = 5
    /// How often a transaction that lasts too long is tried, since each try takes as long.
    static let longRunsMax = 2
    /// The longest pause before the second try, in milliseconds; it doubles with each further one.
    static let pauseMilliseconds = 10

    private let reruns = Atomic(0)

    /// The number of repeated runs since the start.
    var count: Int { reruns.load(ordering: .relaxed) }

    /// Runs a transaction up to `runsMax` times, each time from its beginning.
    ///
    /// If `isPatient`, a transaction that lasts too long is tried as often, because it waits for another transaction's
    /// decision.
    ///
    /// - Throws: The last try's error; `StoreError.Persistent` if that is a violated unique key or a missing lock, so
    ///   that no other transaction is to blame.
    func run<Value>(
        isPatient: () -> Bool = { false },
        _ body: () throws -> Value
    ) throws -> Value {
        for number in 0... {
            do {
                return try body()
            } catch  where StoreError.mayRunAgain(error) {
                let isLong = StoreError.isTooLong(error) && !isPatient()
                let most = isLong ? Self.longRunsMax : Self.runsMax
                guard number + 1 < most else {
                    let isPersistent = error is LockMissing || (error as? PostgresError)?.state == "23505"
                    throw isPersistent ? StoreError.Persistent(cause: error) : error
                }
                reruns.add(1, ordering: .relaxed)
                // Random, so that two conflicting transactions don't meet again.
                let pause = Self.pauseMilliseconds << number
                usleep(UInt32.random(in: 0...UInt32(pause * 1000)))
            }
        }
        preconditionFailure("the tries never end")
    }
}
