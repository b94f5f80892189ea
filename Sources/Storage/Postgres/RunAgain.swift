import Glibc
import PostgreSQL
import Synchronization

/// Runs a transaction again where another one came in between, or where the answer to its commit was lost.
///
/// So is one that lasted too long, once: the server may have been slow for a moment. The same work succeeds then, as a rule
/// at once. What the transaction did is undone, or done: ids of messages, unique keys and `CommitMark` make a second time
/// harmless.
final class RunAgain: Sendable {
    /// How often a transaction is tried, the first time included.
    static let runsMax = 5
    /// How often one is tried that lasts too long: each time costs as long.
    static let longRunsMax = 2
    /// The longest pause before the second try, in milliseconds; it doubles with each further one.
    static let pauseMilliseconds = 10

    private let reruns = Atomic(0)

    /// How many transactions were run again since the start.
    var count: Int { reruns.load(ordering: .relaxed) }

    /// Runs a transaction, which must be able to run from its beginning, up to `runsMax` times.
    ///
    /// Where it is `isPatient` also if it lasts too long: it waits for what another one is about to decide.
    /// - Throws: The last try's error; `StoreError.Persistent` where a unique key was violated or a lock missing each
    ///   time, so that not another transaction is to blame.
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
                    let isPersistent =
                        error is LockMissing || (error as? PostgresError)?.state == "23505"
                    throw isPersistent ? StoreError.Persistent(cause: error) : error
                }
                reruns.add(1, ordering: .relaxed)
                // Two that meet must not meet again.
                let pause = Self.pauseMilliseconds << number
                usleep(UInt32.random(in: 0...UInt32(pause * 1000)))
            }
        }
        preconditionFailure("the tries never end")
    }
}
