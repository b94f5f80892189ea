import Glibc
import PostgreSQL
import Synchronization

/// The repetition of a transaction after a conflict or a lost answer to its commit.
///
/// After a conflict, the next run usually succeeds. A transaction that lasted too long is repeated once, since the
/// server may be slow. After a lost answer, a new run is harmless. Message ids, unique keys and `CommitMark` prevent a
/// double effect.
final class RunAgain: Sendable {
    /// The maximum number of runs of a transaction, including the first one.
    static let runsMax = 5
    /// The maximum number of runs of a transaction that lasts too long.
    static let longRunsMax = 2
    /// The longest pause before the second run, doubled for each further run.
    static let pauseMilliseconds = 10

    private let reruns = Atomic(0)

    /// The number of repeated runs since the process started.
    var count: Int { reruns.load(ordering: .relaxed) }

    /// Runs a transaction up to `runsMax` times, each time from its beginning.
    ///
    /// If `isPatient` returns true, a transaction that lasts too long gets up to `runsMax` runs. Such a transaction
    /// lasts long because it waits until the server has ended another transaction.
    ///
    /// - Throws: The last run's error. `StoreError.Persistent` wraps the error of a violated unique key or a missing
    ///   lock.
    func run<Value>(isPatient: () -> Bool = { false }, _ body: () throws -> Value) throws -> Value {
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
                // The pause is random, so that two conflicting transactions don't conflict again.
                let pause = Self.pauseMilliseconds << number
                usleep(UInt32.random(in: 0...UInt32(pause * 1000)))
            }
        }
        preconditionFailure("the tries never end")
    }
}
