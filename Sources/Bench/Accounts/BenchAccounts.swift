import Files
import Glibc
import Load
import Service

/// Measures requests of apps, and reports during many logins: `lamplighter-bench accounts`.
///
/// Requests without a hash are compared with an echo, which sends each request back; reports while
/// 200 users log in at once are compared with reports alone. All measurements share a private
/// broker and take turns.
package struct BenchAccounts: Sendable {
    private let options: BenchAccountsOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(_ options: BenchAccountsOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    private static let questions = [
        RequestLoad.Question(method: "account/whoami", params: "{}"),
        RequestLoad.Question(method: "account/updateProfile", params: "{\"nickname\":\"Lamp #\"}"),
        // Each refresh needs the token of the one before, so they run one at a time.
        RequestLoad.Question(method: "session/refresh", params: "{}", window: 1),
    ]
    private static let window = 4000

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError` or `MosquittoError`.
    package func run() async throws -> BenchAccountsResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        var result = BenchAccountsResult(options: options)
        for round in 1...options.rounds {
            // Each round uses users who have never logged in.
            try await BenchField.with(
                devices: options.devices,
                terminals: options.terminals,
                logins: options.logins,
                in: folder + "/round-\(round)"
            ) { field in
                // The requests refresh the terminals' tokens, so they are last.
                try await logIn(field, &result)
                try await ask(field, &result)
            }
        }
        return result
    }

    private func ask(_ field: BenchField, _ result: inout BenchAccountsResult) async throws {
        var terminals = field.seed.terminals
        let echo = try await BenchProcess.consumer(
            .echo,
            field,
            counter: field.directory.path + "/counter",
            statusBytes: 0
        )
        let bare = try flood(Self.questions[0], &terminals, field: field, name: "echo")
        result.requests["echo", default: []].append(bare)
        await echo.stop()
        try field.forgetWorkers()
        let service = try await BenchProcess.service(field)
        for question in Self.questions {
            let rate = try flood(question, &terminals, field: field, name: question.method)
            result.requests[question.method, default: []].append(rate)
        }
        await service.stop()
    }

    private func flood(
        _ question: RequestLoad.Question,
        _ terminals: inout [LoadTerminal],
        field: BenchField,
        name: String
    ) throws -> Double {
        let load = RequestLoad(question, terminals: terminals, root: field.root)
        try load.connect(port: field.port)
        _ = try load.flood(seconds: 0.5)
        let rate = try load.flood(seconds: options.seconds)
        load.disconnect()
        terminals = load.terminals
        tell(
            "\(name): \(Int(rate)) answers/s" + (load.firstRefusal.map { ", refused: \($0)" } ?? "")
        )
        return load.refused == 0 ? rate : 0
    }

    private func logIn(_ field: BenchField, _ result: inout BenchAccountsResult) async throws {
        let rig = try await BenchRig.make(.bound, field)
        let alone = try rig.throughput(seconds: options.seconds, window: Self.window)
        let memory = rig.consumer.memory()
        let question = RequestLoad.Question(
            method: "account/login",
            params: "{\"countryCode\":\"1\",\"username\":\"bench-#\",\"password\":"
                + "\"\(BenchSeed.password)\"}",
            needsToken: false,
            window: 1
        )
        let logins = RequestLoad(
            question,
            terminals: field.seed.loggedOut,
            root: field.root,
            secret: field.seed.appSecret
        )
        try logins.connect(port: field.port)
        let during = try rig.throughput(window: Self.window, during: logins)
        result.reports.append((alone: alone, during: during.rate))
        result.loginSeconds.append(during.seconds)
        result.growth.append(rig.consumer.memory(peak: true) - memory)
        result.refused = max(result.refused, logins.refused)
        logins.disconnect()
        await rig.end()
        tell(
            "reports: \(Int(alone))/s alone, \(Int(during.rate))/s during \(logins.answered) logins in "
                + "\(BenchGoal.short(during.seconds)) s, \(logins.refused) refused"
        )
        if let refusal = logins.firstRefusal { tell(refusal) }
    }
}

extension BenchRig {
    /// Floods until all users have logged in, but at most for a minute.
    ///
    /// - Returns: The reports done a second during the logins, and the duration of these.
    /// - Throws: `LoadError`.
    fileprivate func throughput(
        window: Int,
        during logins: RequestLoad
    ) throws -> (rate: Double, seconds: Double) {
        let before = (done, LoadClock.nanoseconds)
        logins.askOnce()
        try load.flood(seconds: 60, window: window) {
            min(done, load.delivered + window)
        } meanwhile: { () throws(LoadError) in
            try logins.turn(milliseconds: 0)
            return !logins.isDone
        }
        let seconds = Double(LoadClock.nanoseconds - before.1) / 1e9
        let rate = Double(done - before.0) / seconds
        try load.mark()
        try load.drain { done >= load.sent && load.delivered >= load.sent }
        return (rate, seconds)
    }
}
