import Foundation
import Load

/// Measures the answered requests per second, and the processed reports per second during logins: `lamplighter-bench
/// accounts`.
///
/// One measurement sends requests that need no password hash. It compares the service's answers per second with those
/// of `echo`, a consumer that only sends each request back. The other measurement counts the reports per second before
/// any login. It compares them with the reports per second during simultaneous logins, of which there are
/// 200 by default. Within a round, the measurements happen one after the other, on a private broker.
extension BenchAccounts {
    private typealias Question = RequestLoad.Question

    private static let questions = [
        Question(method: "account/whoami", params: "{}"),
        Question(method: "account/updateProfile", params: "{\"nickname\":\"Lamp #\"}"),
        // Each refresh needs the previous refresh's token, so a terminal sends one refresh at a time.
        Question(method: "session/refresh", params: "{}", window: 1),
    ]

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult("\(terminals) terminals, \(rounds) rounds of \(seconds) s, medians")
        for round in 1...rounds {
            tell("round \(round)")
            // Each round has a new store, in which no user has logged in with a password yet.
            try await BenchField(devices: devices, terminals: terminals, logins: logins, in: folder + "/round-\(round)")
                .use { field in
                    // `ask` comes last because its requests replace the terminals' tokens.
                    try await BenchRig(.bound, field).use { try logIn($0, &result) }
                    try await ask(field, &result)
                }
        }
        return result
    }

    private func ask(_ field: BenchField, _ result: inout BenchResult) async throws {
        var terminals = field.seed.terminals
        let echo = try await BenchProcess.start(.echo, field).use { _ in
            try flood(Self.questions[0], &terminals, field: field)
        }
        add(echo, of: "echo", echo: echo, to: &result)
        try await BenchProcess.start(nil, field).use { _ in
            for question in Self.questions {
                let rate = try flood(question, &terminals, field: field)
                add(rate, of: question.method, echo: echo, to: &result)
            }
        }
    }

    private func add(_ rate: Double, of name: String, echo: Double, to result: inout BenchResult) {
        result.add(
            name,
            .init(rate, "answers/s", at: "answersPerSecond.\(name)"),
            .init(rate / echo, "of an echo", at: "shareOfEcho.\(name)")
        )
    }

    /// Returns the number of answers per second, or 0 if the service refused a request.
    private func flood(_ question: Question, _ terminals: inout [LoadTerminal], field: BenchField) throws -> Double {
        let load = RequestLoad(question, terminals: terminals, root: field.root)
        try load.connect(port: field.port)
        load.send(isContinued: true)
        try load.run(seconds: 0.5)
        let rate = try load.run(seconds: seconds)
        try load.finish()
        load.disconnect()
        terminals = load.terminals
        if let refusal = load.firstRefusal { tell("refused: \(refusal)") }
        return load.refused == 0 ? rate : 0
    }

    private func logIn(_ rig: BenchRig, _ result: inout BenchResult) throws {
        let alone = try rig.throughput(seconds: seconds)
        let memory = rig.consumer.memory()
        let question = Question(
            method: "account/login",
            params: "{\"countryCode\":\"1\",\"username\":\"bench-#\",\"password\":" + "\"\(BenchSeed.password)\"}",
            needsToken: false,
            window: 1
        )
        let seed = rig.field.seed
        let load = RequestLoad(question, terminals: seed.loggedOut, root: rig.field.root, secret: seed.appSecret)
        try load.connect(port: rig.field.port)
        let during = try rig.throughput(during: load)
        let grown = rig.consumer.memory(peak: true) - memory
        load.disconnect()
        result.add("reports alone", .init(alone, "reports/s", at: "reportsAlone"))
        result.add(
            "reports while \(logins) users log in",
            .init(during.rate, "reports/s", at: "reportsDuringLogins"),
            .init(during.seconds, "s", at: "loginSeconds"),
            .init(grown, "MB more", at: "loginMegabytes"),
            .init(Double(load.refused), "refused", at: "loginsRefused")
        )
        if let refusal = load.firstRefusal { tell(refusal) }
    }

    /// The maximum memory, in megabytes, for hashing passwords during the logins.
    ///
    /// Each thread that hashes passwords takes 19 MB, and the waiting requests take 16 MB in total.
    private static var poolMegabytes: Double {
        Double(max(1, ProcessInfo.processInfo.activeProcessorCount / 2)) * 19 + 16
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        let kept = result.ratio("reportsDuringLogins", to: "reportsAlone")
        let refused = result.samples("loginsRefused").max() ?? 0
        let rates = Self.questions.map { question in
            BenchGoal("\(question.method), answers/s", result["answersPerSecond.\(question.method)"], atLeast: 3000)
        }
        return rates + [
            BenchGoal("reports during logins / alone", kept, atLeast: 0.7),
            BenchGoal("memory that logins took, MB", result["loginMegabytes"], atMost: Self.poolMegabytes),
            BenchGoal("logins refused", refused, atMost: 0),
        ]
    }
}

extension BenchRig {
    /// Floods the service with reports until all logins are done, or until a minute has passed.
    ///
    /// - Returns: How many reports were processed per second, and how many seconds the logins took.
    /// - Throws: `LoadError`.
    fileprivate func throughput(during logins: RequestLoad) throws -> (rate: Double, seconds: Double) {
        let (before, stopwatch) = (done, Stopwatch())
        logins.send(isContinued: false)
        try load.flood(seconds: 60, window: Self.window) {
            min(done, load.delivered + Self.window)
        } meanwhile: { () throws(LoadError) in
            try logins.turn(milliseconds: 0)
            return !logins.isDone
        }
        let seconds = stopwatch.seconds
        let rate = Double(done - before) / seconds
        try load.mark()
        try load.drain { done >= load.sent && load.delivered >= load.sent }
        return (rate, seconds)
    }
}
