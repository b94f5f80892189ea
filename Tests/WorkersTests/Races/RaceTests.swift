import Foundation
import JSON
import StoreTestKit
import TestKit
import Testing

@testable import Workers

/// Tests of work that two processes do at the same time.
///
/// In each race, the workers' own code runs over two connections to PostgreSQL. A `Racer` lets the statements run one
/// at a time. By default, each race is run in the same few orders every time. With `LAMPLIGHTER_LONG=1`, a race with at
/// most 400 possible orders (`Interleaving.allMax`) is run in every order. A race with more possible orders is run in
/// every order that has only one interruption. It is also run in up to 300 orders in which both racers are interrupted.
/// More switches between the racers aren't needed. Almost every possible error already occurs with few switches.
///
/// The tests ask the server which process is waiting for a lock (`pg_blocking_pids`). So a slow racer doesn't count as
/// a waiting racer. All answers and rows must be as if one racer had run after the other. The two racers must never
/// block each other in a deadlock.
@Suite(.onlyInDatabase, .serialized)
struct RaceTests {
    private static let isLong = ProcessInfo.processInfo.environment["LAMPLIGHTER_LONG"] == "1"
    /// By default, each race is run in at most this many orders.
    private static let slice = 4
    /// The codes with which the service refuses a wrong secret.
    private static let refusals = Set(["InvalidCredentials", "Forbidden"].map { "\(JSONValue.string($0))" })
    private static let all = Race.devices + Race.commands + Race.accounts + Race.limits

    @Test("Two concurrent transactions end as if one came after the other", arguments: all)
    func serial(_ race: Race) throws {
        let seed = Self.isLong ? Int.random(in: 0..<1_000_000) : 4711
        let outcome = try race.run(atMost: Self.isLong ? nil : Self.slice, seed: seed)

        let first = outcome.failures.first ?? ""
        #expect(outcome.failures.isEmpty, "seed \(seed), \(outcome.failures.count) of \(outcome.orders):\n\(first)")
        #expect(outcome.deadlocks == 0)
        // A race tests nothing if one of its moves is refused even when this move runs first. Only the moves that try
        // a wrong secret are meant to be refused.
        #expect(outcome.refusals.isSubset(of: Self.refusals))
    }

    @Test("Without any locking at least half of the races fail")
    func control() throws {
        let races =
            Self.isLong ? Self.all : stride(from: 0, to: Self.all.count, by: 4).map { Self.all[$0] }
        let right = try Self.right(races, atMost: Self.isLong ? 100 : 12, .none)
        #expect(right.count * 2 <= races.count, "\(right)")
    }

    @Test(
        "Without the locks at least half of the races about devices and commands fail",
        .enabled(if: isLong)
    )
    func controlOfLocks() throws {
        let races = Race.devices + Race.commands
        let right = try Self.right(races, atMost: 32, .withoutLocks)
        #expect(right.count * 2 <= races.count, "\(right)")
    }

    /// Returns the names of the races that end in an allowed state although safeguards are removed.
    private static func right(
        _ races: [Race],
        atMost limit: Int,
        _ safeguards: Safeguards
    ) throws -> [String] {
        try races.filter { try $0.run(atMost: limit, seed: 1, safeguards).failures.isEmpty }
            .map(\.name)
    }
}
