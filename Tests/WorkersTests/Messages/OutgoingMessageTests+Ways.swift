import Domain
import JSON
import Logging
import Testing

@testable import Workers

/// Tests of routes without a gateway, where the service itself delivers or logs messages.
extension OutgoingMessageTests {
    @Test("A message that was handed over is reported as sent, and its text is for its receiver")
    func direct() async throws {
        let world = try World()
        let far = FarSide()
        let service = service(world, [.sms: far.route])
        try add(world, Self.message(at: world.clock.now))

        try await far.run(service, until: 1)

        let message = far.taken.first
        #expect(message?.to == "+4915112345678")
        #expect(message?.text.sms.contains("482915") == true)
        #expect(message?.appName == "Demo")
        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }

    @Test("While the other side is down a message is retried, and reported only once it is accepted")

    func away() async throws {
        let world = try World()
        let far = FarSide(failures: 2, .unavailable("no connection"))
        let service = service(world, [.sms: far.route])
        try add(world, Self.message(at: world.clock.now))

        try await far.run(service, until: 1)
        #expect(try told(world, Self.code).isEmpty)
        world.clock.advance(seconds: 4)
        _ = service.round()
        #expect(far.calls == 1)
        world.clock.advance(seconds: 1)
        try await far.run(service, until: 2)
        world.clock.advance(seconds: 10)
        try await far.run(service, until: 3)

        #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        #expect(try world.count("delivery") == 0)
    }

    @Test("A hanging gateway holds a limited number of messages, and the other channel holds none")

    func hanging() async throws {
        var limits = Limits()
        limits.messagesAtOnce = 2
        let world = try World(limits: limits)
        let gate = Gate()
        let far = FarSide()
        let service = service(
            world,
            [
                .sms: .direct { (message) async throws(MessageFailure) in
                    try far.take(message)
                    await gate.wait()
                }, .email: far.route,
            ]
        )
        for number in 0..<5 { try add(world, Self.message("m-\(number)", at: world.clock.now)) }
        try add(world, Self.message("m-e", .email, at: world.clock.now))

        try await far.run(service, until: 3)
        _ = service.round()

        #expect(far.calls == 3)
        #expect(try world.count("delivery") >= 5)
        gate.open()
    }

    @Test("In development the log shows the text, and otherwise only that there was one")
    func log() throws {
        for showsText in [true, false] {
            let world = try World()
            let lines = LogLines()
            let logger = Logger(label: "test") { _ in lines }
            let service = service(world, [.sms: .log(showsText: showsText)], logger: logger)
            try add(world, Self.message(at: world.clock.now))

            _ = service.round()

            #expect(lines.all.count == 1)
            #expect(lines.all[0].contains("482915") == showsText)
            #expect(lines.all[0].contains("DEVELOPMENT ONLY") == showsText)
            #expect(try told(world, Self.code).map { $0["state"] } == ["sent"])
        }
    }

}
