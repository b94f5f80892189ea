package import JSON
import Load
import Service

/// The options of `bench abuse`.
package struct BenchAbuseOptions: Sendable {
    /// The prefix of the attacks' names; empty for all.
    package var attack = ""
    /// Seconds of each attack, and of the burning that it is compared with.
    package var seconds = 10.0
    /// Whether the limits that stop an attack are switched off: then each must do harm.
    package var isControl = false
    /// The factor for all times, for a debug build; no other bound is wider.
    package var slower = 1.0
    /// The tries of an attack that missed only a time, as on a busy machine.
    package var tries = 1
    /// Whether one attack of each kind is enough.
    package var isShort = false

    /// The options of a full run.
    package init() {}
}

/// Measures the effect of one hostile client on all others: `lamplighter bench abuse`.
///
/// A whole `up` with its default limits; honest clients that ask, control, report and log in; beside them
/// one hostile process at a time, then one that burns as much of the processor without connecting.
package struct BenchAbuse: Sendable {
    private let options: BenchAbuseOptions
    private let tell: @Sendable (String) -> Void

    /// Prepares a benchmark; `tell` takes a line about each measurement.
    package init(_ options: BenchAbuseOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs everything in a temporary directory and removes it.
    ///
    /// - Throws: A `Problem`, `LoadError` or the system's refusal.
    package func run() async throws -> BenchAbuseResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchAbuseResult(isControl: options.isControl)
        var rest = AbuseAttack.named(options.attack, isShort: options.isShort)[...]
        if options.isControl {
            for attack in rest {
                attack.whyNoControl.map { tell("\(attack.name): no control. \($0)") }
            }
            rest = rest.filter { !$0.control.isEmpty }[...]
        }
        guard !rest.isEmpty else {
            throw LoadError.failed(
                "no attack\(options.isControl ? " with a control" : "")'s name begins with \(options.attack)"
            )
        }
        tell(AbuseFinding.heading)
        var grounds = 0
        var tries: [String: Int] = [:]
        while let next = rest.first {
            grounds += 1
            let settings = options.isControl ? next.control : []
            var findings = try await attack(Array(rest), folder + "/\(grounds)", settings: settings)
            if let last = findings.last, last.isLate, !options.isControl {
                tries[last.attack.name, default: 1] += 1
                if tries[last.attack.name, default: 1] <= options.tries {
                    tell("\(last.attack.name) missed a time: it is tried again")
                    findings.removeLast()
                }
            }
            rest = rest.dropFirst(findings.count)
            result.findings += findings
        }
        return result
    }

    /// Attacks on one ground, until one of them has spoiled it.
    ///
    /// - Returns: What was found, of at least one attack.
    private func attack(
        _ attacks: [AbuseAttack],
        _ folder: String,
        settings: [String]
    ) async throws -> [AbuseFinding] {
        let ground = try await AbuseGround(in: folder, settings: settings)
        var findings: [AbuseFinding] = []
        do {
            let others = AbuseOthers(ground)
            try others.connect()
            // What is slow but once, caches and the like, is over then.
            try others.live(seconds: 2)
            try others.drain(seconds: 10)
            repeat {
                let finding = try await AbuseTrial(
                    ground: ground,
                    others: others,
                    attack: attacks[findings.count],
                    number: findings.count,
                    seconds: options.seconds,
                    slower: options.slower
                ).run()
                tell(finding.text)
                findings.append(finding)
            } while findings.count < attacks.count && findings.last?.isMet == true
                && !options.isControl
            others.disconnect()
        } catch {
            await ground.stop()
            throw error
        }
        await ground.stop()
        BenchFolder.remove(folder)
        return findings
    }
}

/// The result of `bench abuse`, and whether it meets its goals.
package struct BenchAbuseResult: BenchOutcome, Sendable {
    let isControl: Bool
    var findings: [AbuseFinding] = []

    init(isControl: Bool) { self.isControl = isControl }

    /// Whether no attack did harm; for a control whether each did.
    package var isMet: Bool { findings.allSatisfy { $0.isMet != isControl } }

    /// The result as a table for people.
    package var text: String {
        let wrong = findings.filter { $0.isMet == isControl }.map(\.attack.name)
        let sentence =
            isControl ? "without limits each attack must do harm" : "no attack may do harm"
        return
            ([AbuseFinding.heading] + findings.map(\.text) + [
                "\(sentence): \(wrong.isEmpty ? "so it is" : "not so with \(wrong.joined(separator: ", "))")"
            ]).joined(separator: "\n")
    }

    /// The result for programs.
    package var json: JSONValue {
        .object([
            "control": .bool(isControl), "attacks": .array(findings.map(\.json)),
            "met": .bool(isMet),
        ])
    }
}
