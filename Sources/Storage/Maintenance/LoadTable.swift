package import Domain

/// The numbers of reports and refusals in each ten-minute step of the last day.
package struct LoadTable {
    let sql: SQL

    /// A kind of counted events.
    package enum Kind: String, CaseIterable, Sendable {
        case reports, refusals
    }

    /// The length of a step, in seconds: ten minutes.
    package static let stepSeconds: Int64 = 600
    /// The number of steps in a day, including the current, unfinished step.
    package static let steps: Int64 = 144

    /// Adds each count to the ten-minute step of the count's time, and deletes steps older than a day.
    ///
    /// One statement reads, increases and stores a count, because several processes count at once.
    package func add(_ counts: [(at: Instant, count: Int64)], of kind: Kind, at now: Instant) throws {
        let sums = Dictionary(counts.map { (Self.step($0.at), $0.count) }, uniquingKeysWith: +)
        try sql.run(
            """
            INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE
            SET value = CAST(CAST(meta.value AS BIGINT) + CAST(excluded.value AS BIGINT) AS TEXT)
            """,
            each: sums.sorted { $0.key < $1.key }
        ) { step, count in (Self.name(kind, step), "\(count)") }
        try sql.run(
            "DELETE FROM meta WHERE name >= $1 AND name < $2",
            Self.name(kind, 0),
            Self.name(kind, Self.first(at: now))
        )
    }

    /// Returns one day's counts, oldest first, up to the step that contains `moment`.
    package func counts(of kind: Kind, until moment: Instant) throws -> [Int64] {
        let first = Self.first(at: moment)
        var counts = [Int64](repeating: 0, count: Int(Self.steps))
        let found = try sql.query(
            "SELECT name, CAST(value AS BIGINT) FROM meta WHERE name >= $1 AND name < $2",
            Self.name(kind, first),
            Self.name(kind, first + Self.steps)
        ) { row in (name: row.next(String.self), count: row.next(Int64.self)) }
        for (name, count) in found {
            guard let step = Int64(name.suffix(Self.digits)) else { continue }
            counts[Int(step - first)] = count
        }
        return counts
    }

    /// Returns the beginning of the period of 144 steps (one day) whose last step contains the given moment.
    package static func begin(until moment: Instant) -> Instant {
        Instant(milliseconds: first(at: moment) * stepSeconds * 1000)
    }

    /// The number of digits to which a step's number is padded with zeros, so that the steps' names sort by time.
    private static let digits = 10

    private static func step(_ moment: Instant) -> Int64 { max(0, moment.milliseconds / 1000 / stepSeconds) }

    private static func first(at moment: Instant) -> Int64 { max(0, step(moment) - steps + 1) }

    private static func name(_ kind: Kind, _ step: Int64) -> String {
        let number = "\(step)"
        return "load.\(kind.rawValue)." + String(repeating: "0", count: max(0, digits - number.count)) + number
    }
}
