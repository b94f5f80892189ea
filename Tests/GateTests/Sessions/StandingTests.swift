import Credentials
import JSON
import TestKit
import Testing

@testable import Gate

@Suite("Connected clients and the file, in Mosquitto", .endsInTime)
struct StandingTests {
    @Test("A client admitted by an older file is disconnected once the file is rewritten")
    func older() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
        let device = try MiniClient(broker.port, Cast.device())
        let sms = try MiniClient(broker.port, MiniClient.Hello("service:sms", "sms", "svc.sms.1"))
        #expect(device.code == 0 && sms.code == 0)

        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(Cast.records().filter { $0.kind != .device } + [Cast.terminal()])

        #expect(try app.waitForEnd() != nil)
        #expect(try device.waitForEnd() != nil)
        #expect(try sms.waitForEnd(within: 0.5) == nil)
    }

    @Test("A client that keeps its rights is not affected by a rewritten file")
    func same() throws {
        let records = try Cast.records() + [Cast.terminal(session: "s-1")]
        let broker = try GateBroker(records)
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(app.code == 0)

        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(records)
        // A login on the same connection begins session s-2, and then the file is rewritten again.
        try file.append([Cast.terminal(session: "s-2")])
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
        try file.rewrite(Cast.records() + [Cast.terminal(session: "s-2")])

        #expect(try app.waitForEnd(within: 1) == nil)
    }

    @Test("A login on this connection stays valid when the file is rewritten right after it")
    func rewrittenAtOnce() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(app.code == 0)
        var file = try CredentialsFile(path: broker.credentials)

        for round in 2...6 {
            let login = try Cast.terminal(session: "s-\(round)")
            let records = try Cast.records() + [login]
            // If a login's record makes the file too long, the service rewrites the file immediately.
            try file.append([login])
            try file.rewrite(records)
            #expect(try app.waitForEnd(within: 0.6) == nil, "login \(round)")
        }
    }

    @Test("A connection made with the app's secret after a session's end outlives the revocation")

    func afterwards() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        let old = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(old.code == 0)
        try broker.append(Cast.terminal())
        let new = try MiniClient(broker.port, Cast.app())
        #expect(new.code == 0)

        _ = try worker.publish("$CONTROL/lamplighter/v1", SessionTests.revocation("s-1"))

        #expect(try new.waitForEnd(within: 1) == nil)
    }

    @Test("Connection numbers continue after the stored number, whatever the clock shows") func numbers() throws {
        // The largest known connection number was assigned while the clock was a year ahead.
        let known = Clock.microseconds() + 365 * 86_400 * 1_000_000
        let broker = try GateBroker(Cast.records() + [.connections(known: known)])
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/presence/+") == 1)

        let device = try MiniClient(broker.port, Cast.device())

        #expect(device.code == 0)
        #expect(try number(worker) > known)
    }

    @Test(
        "If the store knows larger connection numbers, connected clients get new numbers and are announced again"
    )
    func renumbered() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/presence/+") == 1)
        let device = try MiniClient(broker.port, Cast.device())
        let first = try number(worker)

        // This record's connection number must exceed all numbers that the gate itself has assigned. Otherwise, the
        // number has no effect.
        try broker.append(.connections(known: first))
        #expect(try worker.receive(within: 0.5) == nil)
        try broker.append(.connections(known: first + 10_000_000))

        #expect(try number(worker) > first + 10_000_000)
        #expect(try device.waitForEnd(within: 0.3) == nil)
    }

    private func number(_ worker: MiniClient) throws -> Int64 {
        let message = try #require(try worker.receive())
        let payload = try JSONValue.parse(Array(message.payload.utf8)).objectValue
        return try #require(payload?["connection"]?.intValue)
    }
}
