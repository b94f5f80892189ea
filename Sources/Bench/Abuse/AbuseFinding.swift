import JSON

/// The effect of one attack on other clients, compared with that of the same processor load.
struct AbuseFinding: Sendable {
    let attack: AbuseAttack
    let seconds: Double
    /// Of the others, during the attack and beside a client that only burns.
    var lanes: [AbuseLane.Kind: AbuseLane] = [:]
    var burnt: [AbuseLane.Kind: AbuseLane] = [:]
    /// The reason why another client was cut off, if one was.
    var failure: String?
    /// Milliseconds until an intruder was out; nil for never.
    var cut: Double?
    var cutBurnt: Double?
    /// Megabytes that service and broker grew by at most.
    var grown = 0.0
    /// The growth of the data directory.
    var disk = AbuseDisk()
    var beginnings = 0
    var stands = true
    var aftermath: [String] = []
    var tally = HostileTally()

    /// The factor for all times: the measured build is not the one that operators run.
    private let slower: Double

    init(_ attack: AbuseAttack, seconds: Double, slower: Double) {
        self.attack = attack
        self.seconds = seconds
        self.slower = slower
    }

    /// An answer may take so much longer beside an attack, in milliseconds.
    static let delayMax = 100.0
    /// A login costs a password hash, and may wait for its turn behind a few.
    static let loginDelayMax = 2000.0
    static let cutMax = 1000.0
    static let grownMax = 100.0
    static let writtenMax = 50.0

    var goals: [BenchGoal] { times + rest }

    /// The goals that a busy machine alone may miss.
    private var times: [BenchGoal] {
        AbuseLane.Kind.allCases.map { kind in
            atMost(
                "\(kind.rawValue) p99 more than burning, ms",
                (lanes[kind]?.p99 ?? 0) - (burnt[kind]?.p99 ?? 0),
                limit: slower * (kind == .login ? Self.loginDelayMax : Self.delayMax)
            )
        } + [atMost("intruder out, ms", cut ?? .infinity, limit: slower * Self.cutMax)]
    }

    /// The goals that no machine may miss.
    private var rest: [BenchGoal] {
        AbuseLane.Kind.allCases.map { kind in
            let lane = lanes[kind] ?? AbuseLane()
            return atMost(
                "\(kind.rawValue) lost or refused",
                Double(lane.unanswered + lane.refused),
                limit: 0
            )
        } + [
            atMost("others cut off", failure == nil ? 0 : 1, limit: 0),
            atMost("intruder left in", cut == nil ? 1 : 0, limit: 0),
            atMost("memory grown, MB", grown, limit: Self.grownMax),
            // An attack shorter than a minute may not write more than one of a minute may.
            atMost(
                writtenAMinute == nil ? "disk, MB" : "disk, MB a minute",
                writtenAMinute ?? disk.written,
                limit: Self.writtenMax
            ),
            atMost("restarts", Double(beginnings) + (stands ? 0 : 1), limit: 0),
            atMost("refused to strangers afterwards", Double(aftermath.count), limit: 0),
        ]
    }

    private func atMost(_ name: String, _ value: Double, limit: Double) -> BenchGoal {
        BenchGoal(name: name, value: value, limit: limit, isAtLeast: false)
    }

    private var writtenAMinute: Double? { disk.aMinute(seconds: seconds) }

    var isMet: Bool { goals.allSatisfy(\.isMet) }

    /// Whether nothing but a time was missed, so that a second try tells the attack from the machine.
    var isLate: Bool { !isMet && rest.allSatisfy(\.isMet) }

    /// A row of the table, and below it what was missed.
    var text: String {
        let delays = AbuseLane.Kind.allCases.map { kind in
            BenchGoal.padded(Int(lanes[kind]?.p99 ?? 0), 6) + "/"
                + BenchGoal.filled("\(Int(burnt[kind]?.p99 ?? 0))", 5)
        }
        let missed = goals.filter { !$0.isMet }.map(\.text)
        let words =
            aftermath + lanes.values.compactMap(\.firstRefusal) + (failure.map { [$0] } ?? [])
        return
            ([
                BenchGoal.filled(attack.name, 13) + delays.joined()
                    + BenchGoal.padded(Int(cut ?? -1), 6) + BenchGoal.padded(Int(grown), 6)
                    + (writtenAMinute.map { BenchGoal.padded(Int($0), 7) } ?? "      -")
                    + "  \(isMet ? "ok" : "MISSED")  \(attack.title): \(tally.text)"
            ] + missed + words.map { "    " + $0.prefix(300) }).joined(separator: "\n")
    }

    /// The heading of the table.
    static let heading =
        BenchGoal.filled("", 13)
        + AbuseLane.Kind.allCases.map { BenchGoal.filled("  " + $0.rawValue, 12) }.joined()
        + "   cut    MB MB/min   (p99 ms beside the attack/beside burning)"

    var json: JSONValue {
        let lanes = { (lanes: [AbuseLane.Kind: AbuseLane]) -> JSONValue in
            .object(
                JSONObject(
                    AbuseLane.Kind.allCases.map { ($0.rawValue, lanes[$0]?.json) }
                )
            )
        }
        return .object(
            JSONObject([
                ("attack", .string(attack.name)), ("title", .string(attack.title)),
                ("seconds", .double(seconds)), ("others", lanes(self.lanes)),
                ("burning", lanes(burnt)), ("hostile", tally.json),
                ("cutMilliseconds", cut.map { .double($0) }),
                ("cutBurningMilliseconds", cutBurnt.map { .double($0) }),
                ("writtenMegabytes", .double(disk.written)),
                ("writtenMegabytesAMinute", writtenAMinute.map { .double($0) }),
                ("aftermath", .array(aftermath.map { .string($0) })),
                ("failure", failure.map { .string($0) }), ("goals", .array(goals.map(\.json))),
                ("met", .bool(isMet)),
            ])
        )
    }
}
