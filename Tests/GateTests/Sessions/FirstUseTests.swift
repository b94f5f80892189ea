import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Sessions with an unused token, in Mosquitto", .endsInTime)
struct FirstUseTests {
    private static let login = "\(Cast.ownApp)/request/account/login"

    private func unused(_ session: String) throws -> Record { try Cast.terminal(session: session, isUsed: false) }

    @Test("The app's secret is admitted without the user's topics, however the record arrives") func stranger() throws {
        let broker = try GateBroker(Cast.records() + [unused("s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        let app = try MiniClient(broker.port, Cast.app())
        #expect(try app.subscribe("\(Cast.ownApp)/#") == 1)
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)

        // This connection doesn't own session s-1. The repeated login and the rewritten record don't change this.
        #expect(try app.publish(Self.login, "again") < 0x80)
        try broker.append(unused("s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)
        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(Cast.records() + [unused("s-1")])
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)
        _ = try worker.publish("\(Cast.ownUser)/device", "secret")
        #expect(try app.receive(within: 0.2) == nil)

        // This connection sent the next login's request, so the new session belongs to this connection.
        try broker.append(unused("s-2"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
    }

    @Test("A login sent on another connection gives no rights to a later connection") func another() throws {
        let broker = try GateBroker(Cast.records())
        let first = try MiniClient(broker.port, Cast.app())
        #expect(try first.publish(Self.login, "in hand") < 0x80)
        let second = try MiniClient(broker.port, Cast.app())
        #expect(try second.publish("\(Cast.ownApp)/request/account/logout", "other") < 0x80)

        try broker.append(unused("s-1"))

        #expect(try second.subscribe("\(Cast.ownUser)/#") == 0x87)
        #expect(try MiniClient(broker.port, Cast.app()).code == 0)
    }

    @Test("The first connection with the token ends the use of the app's secret, and the service is informed")
    func firstUse() throws {
        let broker = try GateBroker(Cast.records() + [unused("s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/token-used") == 1)
        #expect(try MiniClient(broker.port, Cast.app()).code == 0)

        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))

        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try worker.receive()?.payload.contains(#""sessionId":"s-1""#) == true)
        #expect(try MiniClient(broker.port, Cast.app()).code == 0x87)
        // The gate already knows that the token has been used. So the gate doesn't report a first use again.
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0)
        #expect(try worker.receive(within: 0.2) == nil)
    }

    @Test("A login within the half second before the cut keeps the connection")
    func inTime() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(app.code == 0)
        try broker.append(Cast.terminal())
        _ = try worker.publish("$CONTROL/lamplighter/v1", SessionTests.revocation("s-1"))

        #expect(try app.publish(Self.login, "in time") < 0x80)
        try broker.append(unused("s-2"))

        #expect(try app.waitForEnd(within: 0.8) == nil)
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
    }

    @Test("Such a login also keeps the connection if a file reported the end without a command")
    func inTimeBehindAFile() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(app.code == 0)
        var file = try CredentialsFile(path: broker.credentials)
        try file.rewrite(Cast.records() + [Cast.terminal()])
        // The refused subscription shows that the gate has read the new file.
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)

        #expect(try app.publish(Self.login, "in time") < 0x80)
        try file.append([unused("s-2")])

        #expect(try app.waitForEnd(within: 0.8) == nil)
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
    }
}
