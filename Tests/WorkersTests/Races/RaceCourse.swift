import Batching
import Dispatch
import Foundation
import PostgreSQL
import Storage
import StoreTestKit

@testable import Workers

/// A database in which two racers run repeatedly, each time from the same initial state.
final class RaceCourse {
    /// The error that is thrown if a racer neither runs nor waits for the other racer's lock.
    struct Stuck: Error, CustomStringConvertible {
        let description: String
    }

    /// The result of a race whose steps ran in one given order.
    struct Finish {
        var state: RaceState
        /// The number of steps that each racer took.
        var steps: [Int]
        /// The number of transactions that each racer began.
        var transactions = [0, 0]
        /// How many times both racers waited for each other's locks.
        var deadlocks = 0
    }

    private static let stuckSeconds = 60

    private let world: World
    private let moves: [Race.Move]
    private let news: DispatchSemaphore
    private let racers: [Racer]
    private let stores: [Store]
    private let connection: PostgresConnection
    private let tables: [String]
    private let beginning: RaceState

    /// Creates a course whose races all begin with the database's present state.
    init(_ contest: Race.Contest) throws {
        let news = DispatchSemaphore(value: 0)
        let racers = ["A", "B"].map { Racer($0, telling: news) }
        world = contest.world
        moves = contest.moves
        stores = try racers.map { try $0.openStore(beside: contest.world) }
        for (store, slot) in zip(stores, [Race.slots.0, Race.slots.1]) { store.take(slot) }
        connection = try TestStore.connection(TestStore.address(of: contest.world.directory))
        let names =
            try connection.execute(
                """
                SELECT string_agg(CAST(oid::regclass AS TEXT), ' ') FROM pg_class
                WHERE relkind IN ('r', 'p') AND NOT relispartition
                    AND relnamespace = CAST('public' AS regnamespace)
                """
            ).texts.first ?? ""
        tables = names.split(separator: " ").map(String.init)
        try connection.execute("SET session_replication_role = replica; CREATE SCHEMA beginning")
        for table in tables { try connection.execute("CREATE TABLE beginning.\(table) AS SELECT * FROM \(table)") }
        beginning = try RaceState(connection, of: tables)
        (self.news, self.racers) = (news, racers)
    }

    /// Drops the unique keys of all tables for the rest of the test.
    func dropKeys() throws { try connection.execute(Safeguards.dropKeys) }

    // MARK: One race

    /// Runs both racers in the given order, and returns the final state and each racer's number of steps.
    func run(_ order: Interleaving, _ safeguards: Safeguards = .all) throws -> Finish {
        if safeguards == .none { try connection.execute(Safeguards.splitCounters) }
        for racer in racers { racer.reset(safeguards) }
        for number in [0, 1] { start(number) }
        for racer in racers { _ = try settle(racer) }
        var finish = Finish(state: beginning, steps: [0, 0])
        for segment in order.segments { try run(segment, &finish) }
        finish.state = try RaceState(connection, of: tables)
        for racer in racers { finish.state.add(racer) }
        try restore(finish.state)
        return finish
    }

    /// The statements that each racer ran in the last race.
    var statements: String {
        racers.map { racer in
            racer.statements.enumerated().map { "\(racer.name)\($0.offset + 1) \($0.element)" }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    private func start(_ number: Int) {
        let (environment, clock, store) = (world.environment, world.clock, stores[number])
        let (racer, move) = (racers[number], moves[number])
        PlainThread.detach {
            let result = Result {
                let shards = Shards(lane: number, of: 2)
                return try move(World(beside: environment, clock, store: store, shards: shards), racer)
            }
            racer.finish(result)
        }
    }

    private func run(_ segment: Interleaving.Segment, _ finish: inout Finish) throws {
        let racer = racers[segment.racer]
        var taken = 0
        while taken < segment.steps {
            if segment.isTransaction, taken > 0, racer.beginsTransaction { return }
            switch try settle(racer) {
            case .done: return
            case .ready:
                try step(segment.racer, &finish)
                taken += 1
            case .blocked where segment.steps != .max: return
            case .blocked: try letOtherGo(1 - segment.racer, &finish)
            }
        }
    }

    private func step(_ number: Int, _ finish: inout Finish) throws {
        if racers[number].beginsTransaction { finish.transactions[number] += 1 }
        racers[number].step()
        finish.steps[number] += 1
        for racer in racers { _ = try settle(racer) }
    }

    /// Lets racer `number` take a step, because the other racer waits for this racer's lock.
    private func letOtherGo(_ number: Int, _ finish: inout Finish) throws {
        switch try settle(racers[number]) {
        case .ready: try step(number, &finish)
        case .done: return
        case .blocked:
            // Both racers wait for each other, so the server soon aborts one transaction.
            finish.deadlocks += 1
            while try racers.allSatisfy({ try settle($0) == .blocked }) {}
        }
    }

    private enum Rest { case ready, blocked, done }

    /// Waits until a racer is ready for its next step, is done, or waits for a lock.
    private func settle(_ racer: Racer) throws -> Rest {
        let other = racers[0] === racer ? racers[1] : racers[0]
        let end = ContinuousClock.now + .seconds(Self.stuckSeconds)
        while true {
            switch racer.place {
            case .waiting: return .ready
            case .done: return .done
            case .underWay: break
            }
            if news.wait(timeout: .now() + .milliseconds(1)) == .success { continue }
            if racer.place == .underWay, try isBlocked(racer.process, by: other.process) { return .blocked }
            guard ContinuousClock.now < end else {
                throw Stuck(description: "a racer neither runs nor waits\n\(statements)")
            }
        }
    }

    /// Returns whether one process of the server is waiting for a lock that the other process holds.
    private func isBlocked(_ process: Int32, by other: Int32) throws -> Bool {
        guard process != 0, other != 0 else { return false }
        return try connection.execute(
            "SELECT CASE WHEN \(other) = ANY (pg_blocking_pids(\(process))) THEN 1 ELSE 0 END"
        ).texts.first == "1"
    }

    // MARK: The beginning

    private func restore(_ state: RaceState) throws {
        let changed = state.changed(since: beginning)
        guard !changed.isEmpty else { return }
        let statements = changed.map { table in
            """
            DELETE FROM \(table);
            INSERT INTO \(table) OVERRIDING SYSTEM VALUE SELECT * FROM beginning.\(table)
            """
        }
        try connection.execute(statements.joined(separator: ";"))
    }
}
