import Dispatch
import JSON
import PostgreSQL
import Storage
import StoreTestKit
import Synchronization
import TestKit

/// One of two processes whose SQL statements run one at a time, in an order that the test chooses.
///
/// Each statement that can read or change shared data is a step. Before each step, the racer's thread waits for
/// permission. `BEGIN` and `SAVEPOINT` are not steps. In a read-only transaction, only the first statement is a step.
/// That statement decides which state the whole transaction sees. A pipeline of statements is one step.
final class Racer: Sendable {
    /// Whether a racer is running, waiting or done.
    enum Place {
        /// The racer is running a step, or the code between two steps.
        case underWay
        /// The racer is waiting for permission to take its next step.
        case waiting
        case done
    }

    private enum Reading { case no, begins, goesOn }

    private struct State {
        var isRacing = false
        var safeguards = Safeguards.all
        var place = Place.underWay
        var process: Int32 = 0
        var reading = Reading.no
        /// Whether the next step begins a transaction.
        ///
        /// A transaction that follows a read-only transaction counts as a part of the read-only transaction.
        var beginsTransaction = false
        var hasWritten = true
        var statements: [String] = []
        var answers: [JSONObject] = []
        var failure: String?
    }

    private let state = Mutex(State())
    private let leave = DispatchSemaphore(value: 0)
    /// A semaphore that is signalled when the state of either racer changes.
    private let news: DispatchSemaphore

    /// The racer's name in answers and orders.
    let name: String

    init(_ name: String, telling news: DispatchSemaphore) {
        self.name = name
        self.news = news
    }

    var place: Place { state.withLock(\.place) }
    /// The id of the database server's process that serves the racer and holds its locks.
    var process: Int32 { state.withLock(\.process) }
    /// Whether the racer is waiting between two transactions.
    var beginsTransaction: Bool {
        state.withLock { $0.place == .waiting && $0.beginsTransaction }
    }
    /// The statements that were steps of the racer, in order.
    var statements: [String] { state.withLock(\.statements) }
    var answers: [JSONObject] { state.withLock(\.answers) }
    /// The error that ended the racer's move, or nil if the move succeeded.
    var failure: String? { state.withLock(\.failure) }

    // MARK: The racer's thread

    /// Opens the racer's store without timeouts, since its next step can come late.
    func openStore(beside world: World) throws -> Store {
        try TestStore.open(
            beside: world.directory,
            credentialsPath: world.directory.path("credentials-\(ObjectIdentifier(self).hashValue)"),
            bound: nil
        ) { [self] connection in
            try connection.execute(
                """
                SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0;
                SET statement_timeout = 0; SET deadlock_timeout = '20ms'
                """
            )
            let process = connection.processID
            connection.beforeStatement = { [unowned self] in pass($0, of: process) }
        }
    }

    /// Makes the racer wait for permission before each step from now on.
    func begin() { state.withLock { $0.isRacing = true } }

    /// Lets the racer run freely again.
    func end() { state.withLock { $0.isRacing = false } }

    /// Stores the result of the racer's move.
    func finish(_ result: Result<[JSONObject], any Error>) {
        state.withLock { state in
            state.isRacing = false
            state.place = .done
            switch result {
            case .success(let answers): state.answers = answers
            case .failure(let error): state.failure = "\(error)"
            }
        }
        news.signal()
    }

    /// Waits for permission if the statement is a step, and returns the statement to run.
    ///
    /// The returned statement lacks the safeguards that are removed in this race.
    private func pass(_ sql: String, of process: Int32) -> String {
        let (isStep, safeguards) = state.withLock { state in
            guard state.isRacing else { return (false, Safeguards.all) }
            state.process = process
            if sql.hasPrefix("BEGIN") {
                if state.hasWritten { state.beginsTransaction = true }
                state.hasWritten = !sql.hasSuffix("READ ONLY")
            }
            let isStep = Self.isStep(sql, &state.reading)
            if isStep {
                state.place = .waiting
                state.statements.append(String(sql.split(separator: "\n").joined(separator: " ").prefix(100)))
            }
            return (isStep, state.safeguards)
        }
        if isStep {
            news.signal()
            leave.wait()
        }
        return safeguards.rewrite(sql, of: name)
    }

    private static func isStep(_ sql: String, _ reading: inout Reading) -> Bool {
        if sql.hasPrefix("BEGIN") {
            reading = sql.hasSuffix("READ ONLY") ? .begins : .no
            return false
        }
        if ["SAVEPOINT", "RELEASE", "FETCH", "CLOSE"].contains(where: sql.hasPrefix) { return false }
        switch reading {
        case .no: return true
        case .begins: reading = .goesOn
        case .goesOn: return false
        }
        return true
    }

    // MARK: The test's thread

    /// Prepares for another race.
    func reset(_ safeguards: Safeguards) {
        state.withLock { $0 = State(safeguards: safeguards) }
    }

    /// Lets the racer run its next statement.
    func step() {
        state.withLock { state in
            state.place = .underWay
            state.beginsTransaction = false
        }
        leave.signal()
    }
}
