import Foundation
import JSON
import StoreTestKit
import TestKit
import Testing

@testable import Workers

/// Races of two processes for work that only one of them may do.
///
/// Each race is two connections to PostgreSQL with the workers' own code behind them. Their statements run one at a
/// time (`Racer`). By default a few orders are tried, always the same. With `LAMPLIGHTER_LONG=1` all orders are tried
/// if there are at most 400 (`Interleaving.allMax`). Otherwise the orders are all those in which one of the two is
/// interrupted once, at any of its steps, for all of the other's, and 300 in which the other is interrupted too. This
/// bound on the switches is the usual one: what goes wrong at all goes wrong with few.
///
/// The server says which process waits for a lock (`pg_blocking_pids`); slowness isn't taken for waiting. The answers
/// and all rows of all tables must be those of one racer after the other, and the two must never wait for each other.
@Suite(.onlyInDatabase, .serialized)
struct RaceTests {
    private static let isLong = ProcessInfo.processInfo.environment["LAMPLIGHTER_LONG"] == "1"
    /// The number of orders of each race that are tried by default.
    private static let slice = 4
    /// The codes with which a wrong try is refused.
    private static let refusals = Set(["InvalidCredentials", "Forbidden"].map { "\(JSONValue.string($0))" })
    private static let all = Race.devices + Race.commands + Race.accounts + Race.limits

    @Test("Two at once end as if one came after the other", arguments: all)
    func serial(_ race: Race) throws {
        let seed = Self.isLong ? Int.random(in: 0..<1_000_000) : 4711
        let outcome = try race.run(atMost: Self.isLong ? nil : Self.slice, seed: seed)

        let first = outcome.failures.first ?? ""
        #expect(outcome.failures.isEmpty, "seed \(seed), \(outcome.failures.count) of \(outcome.orders):\n\(first)")
        #expect(outcome.deadlocks == 0)
        // Otherwise there would be no race: only a wrong try is refused when it comes first.
        #expect(outcome.refusals.isSubset(of: Self.refusals))
    }

    @Test("With nothing that keeps two apart at least half of the races go wrong")
    func control() throws {
        let races =
            Self.isLong ? Self.all : stride(from: 0, to: Self.all.count, by: 4).map { Self.all[$0] }
        let right = try Self.right(races, atMost: Self.isLong ? 100 : 12, .none)
        #expect(right.count * 2 <= races.count, "\(right)")
    }

    @Test(
        "Without the locks at least half of the races about devices and commands go wrong",
        .enabled(if: isLong)
    )
    func controlOfLocks() throws {
        let races = Race.devices + Race.commands
        let right = try Self.right(races, atMost: 32, .withoutLocks)
        #expect(right.count * 2 <= races.count, "\(right)")
    }

    /// Returns the names of the races that end like a serial order although they lack safeguards.
    private static func right(
        _ races: [Race],
        atMost limit: Int,
        _ safeguards: Safeguards
    ) throws -> [String] {
        try races.filter { try $0.run(atMost: limit, seed: 1, safeguards).failures.isEmpty }
            .map(\.name)
    }
}
