import JSON
import Load
import Service

/// Compares the duration of an HTTP request with the durations of the request's two parts: `lamplighter-bench http`.
///
/// The request is `account/whoami`. The first part is the HTTP listener's work. It is measured with a request for
/// `/healthz`, which the listener answers at once. The second part is the processing of `account/whoami`. It is
/// measured by sending the request over MQTT. The goals compare the duration over HTTP with the sum of both parts'
/// durations. All measurements use the same clients. Each client sends one request at a time.
extension BenchHTTP {
    private enum Part: String, CaseIterable {
        case healthz, mqtt, http

        var title: String { self == .healthz ? "GET /healthz" : "account/whoami over \(rawValue.uppercased())" }

        /// The JSON key of the result with all clients, in answers per second.
        var rate: String { "perSecond.\(rawValue)" }
        /// The JSON key of the result with a single client, in milliseconds per request.
        var alone: String { "milliseconds.\(rawValue)" }
    }

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult("\(clients) clients, \(rounds) rounds of \(seconds) s, medians")
        try await BenchField(devices: 1, terminals: clients, in: folder + "/field").use { field in
            try await BenchProcess.start(nil, field).use { _ in
                for round in 1...rounds {
                    tell("round \(round)")
                    for part in Part.allCases { try await measure(part, field, into: &result) }
                    let bound = 1 / (1 / lastRate(.healthz, result) + 1 / lastRate(.mqtt, result))
                    result.add("both parts, one after the other", .init(bound, "answers/s", at: Self.bound))
                }
            }
        }
        return result
    }

    private func lastRate(_ part: Part, _ result: BenchResult) -> Double { result.samples(part.rate).last ?? 0 }

    private func measure(_ part: Part, _ field: BenchField, into result: inout BenchResult) async throws {
        let all = try await ask(part, field.seed.terminals, of: field)
        result.add(part.title, .init(all.perSecond, "answers/s", at: part.rate))
        let alone = try await ask(part, Array(field.seed.terminals.prefix(1)), of: field)
        result.add(part.title + ", one client", delays: alone.delays, at: part.alone)
    }

    private func ask(_ part: Part, _ terminals: [LoadTerminal], of field: BenchField) async throws -> LoadAnswers {
        guard part != .mqtt else { return try askOverMQTT(terminals, field) }
        let requests = terminals.map { terminal in
            guard part == .http else { return HTTPSocket.request("GET /healthz", token: terminal.token) }
            let path = "/\(terminal.space(field.root))/request/account/whoami"
            return HTTPSocket.request("POST \(path)", token: terminal.token, body: "{}")
        }
        return try await HTTPLoad.run(requests, port: try field.httpPort(), seconds: seconds)
    }

    private func askOverMQTT(_ terminals: [LoadTerminal], _ field: BenchField) throws -> LoadAnswers {
        let question = RequestLoad.Question(method: "account/whoami", params: "{}", window: 1)
        let load = RequestLoad(question, terminals: terminals, root: field.root, nap: 0)
        try load.connect(port: field.port)
        defer { load.disconnect() }
        load.send(isContinued: true)
        try load.run(seconds: 0.5)
        load.isTiming = true
        let rate = try load.run(seconds: seconds)
        load.isTiming = false
        try load.finish()
        guard load.refused == 0 else { throw LoadError.failed("refused: \(load.firstRefusal ?? "")") }
        return LoadAnswers(perSecond: rate, delays: load.delays)
    }

    private static let bound = "perSecond.bound"

    func goals(_ result: BenchResult) -> [BenchGoal] {
        let (rate, bound) = (result[Part.http.rate], result[Self.bound])
        let parts = result[Part.healthz.alone + ".p50"] + result[Part.mqtt.alone + ".p50"]
        let own = result[Part.http.alone + ".p50"]
        let rates = "whoami over HTTP, \(rate.short)/s / both parts, \(bound.short)/s"
        let times = "p50 of one client, \(own.short) ms, beyond that of both parts, \(parts.short) ms"
        return [
            BenchGoal(rates, result.ratio(Part.http.rate, to: Self.bound), atLeast: 0.8),
            BenchGoal(times, own - parts, atMost: 1),
        ]
    }
}

extension BenchField {
    /// Returns the port of the running service's pages.
    func httpPort() throws(LoadError) -> Int {
        guard let port = ReadyFile.read(directory)?["httpPort"]?.intValue else {
            throw .failed("the service does not say where its pages are")
        }
        return Int(port)
    }
}
