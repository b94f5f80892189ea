import Dispatch
import JSON
import PostgreSQL
import Storage
import StoreTestKit
import Synchronization
import TestKit

/// One of two processes whose statements are let through one after another, in an order that a test chooses.
///
/// Each statement that can tell or change what the other process sees is a step: before it, the racer's thread waits
/// for leave. Not so `BEGIN`, `SAVEPOINT` and the rest of a transaction that only reads, whose first statement decides
/// which state it sees; a pipeline is one step.
final class Racer: Sendable {
    /// Where a racer is.
    enum Place {
        /// On the way to its next step, or in the middle of one.
        case underWay
        /// Before a step.
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
        /// Whether the next step, or the one that it stands before, is the first of a transaction, or of what is read
        /// for it before.
        var beginsTransaction = false
        var hasWritten = true
        var statements: [String] = []
        var answers: [JSONObject] = []
        var failure: String?
    }

    private let state = Mutex(State())
    private let leave = DispatchSemaphore(value: 0)
    /// Rings when the place of any racer changes.
    private let news: DispatchSemaphore

    /// What it is called in answers and orders.
    let name: String

    init(_ name: String, telling news: DispatchSemaphore) {
        self.name = name
        self.news = news
    }

    var place: Place { state.withLock(\.place) }
    /// The server's process for it; its locks are that one's.
    var process: Int32 { state.withLock(\.process) }
    /// Whether it stands between two transactions.
    var beginsTransaction: Bool {
        state.withLock { $0.place == .waiting && $0.beginsTransaction }
    }
    /// What it ran, in order.
    var statements: [String] { state.withLock(\.statements) }
    var answers: [JSONObject] { state.withLock(\.answers) }
    /// Why it came to no answer; nil otherwise.
    var failure: String? { state.withLock(\.failure) }

    // MARK: The racer's thread

    /// Opens the racer's store; nothing in it ends by a time-out, since a step may come late.
    func openStore(beside world: World) throws -> Store {
        try TestStore.open(
            beside: world.directory,
            credentialsPath: world.directory.path(
                "credentials-\(ObjectIdentifier(self).hashValue)"
            ),
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

    /// Stops before the first step, and before each later one.
    func begin() { state.withLock { $0.isRacing = true } }

    /// Runs freely again.
    func end() { state.withLock { $0.isRacing = false } }

    /// Notes what the race gave.
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

    /// Waits for leave before a step; returns the statement to run.
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
                state.statements.append(
                    String(sql.split(separator: "\n").joined(separator: " ").prefix(100))
                )
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
        if ["SAVEPOINT", "RELEASE", "FETCH", "CLOSE"].contains(where: sql.hasPrefix) {
            return false
        }
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

    /// Lets it run its next statement.
    func step() {
        state.withLock { state in
            state.place = .underWay
            state.beginsTransaction = false
        }
        leave.signal()
    }
}
