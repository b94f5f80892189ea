import Credentials
import TestKit
import Testing

@testable import Gate

@Suite("Sessions on terminals in Mosquitto", .endsInTime)
struct SessionTests {
    @Test("A user's topics open with the login's record and close with the revocation")
    func revoke() throws {
        let broker = try GateBroker(Cast.records())
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.app()
        hello.will = ("\(Cast.ownApp)/request/account/logout", "will", false)
        let app = try MiniClient(broker.port, hello)
        #expect(try app.subscribe("\(Cast.ownApp)/#") == 1)
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 0x87)
        #expect(try app.publish("\(Cast.ownApp)/request/account/login", "asked") == 0)
        try broker.append(Cast.terminal(session: "s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try worker.publish("\(Cast.ownUser)/device", "open") == 0)
        #expect(try app.receive()?.payload == "open")
        _ = try worker.subscribe("ll/v1/app/#")
        #expect(try app.publish("\(Cast.ownApp)/request/a/b", "asked") == 0)
        #expect(try worker.receive()?.payload == "asked")

        // The test doesn't change the credentials file, since the command alone must end the session.
        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-1"))
        _ = try worker.publish("\(Cast.ownUser)/device", "secret")
        _ = try worker.publish("\(Cast.ownApp)/session", "ended")
        #expect(try app.receive()?.payload == "ended")
        let took = try #require(try app.waitForEnd())
        #expect((0.2...0.9).contains(took))
        #expect(try worker.receive(within: 0.3)?.payload == "ended")
        #expect(try worker.receive(within: 0.3) == nil)
    }

    @Test("The service is informed when an ended session has no connection any more")
    func cut() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        #expect(try worker.subscribe("ll/v1/system/session-cut") == 1)
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))

        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-1"))
        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-0"))

        // Session s-0 has no connection, so its end is reported first. Session s-1 keeps its connection for a moment.
        #expect(try worker.receive()?.payload.contains(#""sessionId":"s-0""#) == true)
        #expect(try worker.receive(within: 0.1) == nil)
        #expect(try app.waitForEnd() != nil)
        #expect(try worker.receive()?.payload.contains(#""sessionId":"s-1""#) == true)
    }

    @Test("A later session on the same terminal is not affected")
    func replaced() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        let first = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(first.code == 0)

        _ = try worker.publish("$CONTROL/lamplighter/v1", Self.revocation("s-1"))
        try broker.append(Cast.terminal(session: "s-2"))

        #expect(try MiniClient(broker.port, Cast.app()).code == 0x87)
        #expect(try MiniClient(broker.port, Cast.app(password: "token s-1")).code == 0x87)
        let second = try MiniClient(broker.port, Cast.app(password: "token s-2"))
        #expect(second.code == 0)
        #expect(try second.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try second.waitForEnd(within: 0.8) == nil)
    }

    @Test("Messages queued for an ended session are not delivered later")
    func queued() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        var hello = Cast.app(password: "token s-1")
        (hello.isClean, hello.sessionExpiry) = (false, 600)
        let first = try MiniClient(broker.port, hello)
        #expect(try first.subscribe("\(Cast.ownUser)/#") == 1)
        #expect(try first.subscribe("\(Cast.ownApp)/#") == 1)
        try first.disconnect()
        #expect(try first.waitForEnd() != nil)
        _ = try worker.publish("\(Cast.ownUser)/device", "secret")

        try broker.append(Cast.terminal())
        _ = try worker.publish("\(Cast.ownUser)/device", "secret too")
        _ = try worker.publish("\(Cast.ownApp)/response", "for the terminal")

        hello.password = "app"
        let second = try MiniClient(broker.port, hello)
        #expect(second.code == 0)
        // Only the holder of the token may get the queued messages. So a client with the app's secret gets a new MQTT
        // session.
        #expect(try second.receive(within: 0.2) == nil)
    }

    @Test("A user's retained messages are delivered only to a session")
    func retained() throws {
        let broker = try GateBroker(Cast.records() + [Cast.terminal(session: "s-1")])
        let worker = try MiniClient(broker.port, Cast.worker())
        _ = try worker.publish("\(Cast.ownUser)/device/x/status", "kept", retained: true)
        // The broker asks the gate about the delivery even if the publisher has disconnected.
        try worker.disconnect()
        #expect(try worker.waitForEnd() != nil)

        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)

        #expect(try app.receive()?.payload == "kept")
    }

    @Test("An expired session closes the user's topics without a message")
    func expires() throws {
        let broker = try GateBroker(
            Cast.records() + [Cast.terminal(session: "s-1", lasting: 1_500)]
        )
        let app = try MiniClient(broker.port, Cast.app(password: "token s-1"))
        #expect(try app.subscribe("\(Cast.ownUser)/#") == 1)

        #expect(try app.receive(within: 1.6) == nil)

        #expect(try app.subscribe("\(Cast.ownUser)/device") == 0x87)
    }

    static func revocation(_ sessionId: String) -> String {
        #"{"commands":[{"command":"revokeSession","sessionId":"\#(sessionId)","#
            + #""terminalId":"\#(World.terminal)"}]}"#
    }
}
