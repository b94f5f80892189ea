import Domain
import JSON
import Logging
import Testing

@testable import Workers

/// Tests of dummies: messages that are never sent, and that hide whether an account exists.
extension OutgoingMessageTests {
    @Test("A dummy message is never sent, and gets the result of its channel's last real message") func dummy() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.message(purpose: "resetPassword", at: world.clock.now))
        _ = service.round()
        try world.runSession()
        world.clock.advance(milliseconds: 700)
        world.broker.send(Self.result, ["messageId": "m-1", "ok": true])
        #expect(try told(world, Self.code).count == 1)

        try add(world, Self.message("m-2", purpose: "resetPassword", at: world.clock.now, isDummy: true))
        _ = service.round()
        world.clock.advance(milliseconds: 699)
        _ = service.round()
        #expect(try told(world, Self.code).count == 1)
        world.clock.advance(milliseconds: 1)
        _ = service.round()

        #expect(
            try told(world, Self.code) == [
                ["requestId": "q-m-1", "state": "sent"], ["requestId": "q-m-2", "state": "sent"],
            ]
        )
        #expect(try told(world, Self.outbound).count == 1)
        #expect(try world.count("delivery") == 0)
        // Operators see only real messages, not dummies.
        #expect(try records(world).map(\.id.text) == ["m-1"])
    }

    @Test("While gateways are silent, a dummy waits and fails like a message") func silentDummy() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.message(purpose: "resetPassword", at: world.clock.now))
        for _ in 0..<30 {
            _ = service.round()
            world.clock.advance(seconds: 1)
        }
        try add(world, Self.message("m-2", purpose: "resetPassword", at: world.clock.now, isDummy: true))

        for _ in 0..<640 {
            _ = service.round()
            world.clock.advance(seconds: 1)
        }

        #expect(try told(world, Self.code).map { $0["state"] } == ["failed", "failed"])
    }

    @Test("A refused address is not reported if that would reveal an account") func guarded() throws {
        let world = try World()
        let service = service(world)
        try add(world, Self.message(purpose: "resetPassword", at: world.clock.now))

        for _ in 0..<4 {
            _ = service.round()
            try world.runSession()
            world.broker.send(Self.result, ["messageId": "m-1", "ok": false])
            try world.runSession()
            world.clock.advance(seconds: 30)
        }

        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }
}
