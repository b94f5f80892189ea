import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Observations for operators")
struct ObservationTests {
    /// Returns a message as the broker delivers it.
    private func message(_ topic: String, _ payload: JSONObject) -> Inbound {
        Inbound(
            topic: Array(topic.utf8)[...],
            payload: payload.encoded()[...],
            responseTopic: nil,
            correlation: nil,
            isRetained: false
        )
    }

    private func request(_ method: String, id: String, token: String? = nil) -> Inbound {
        message(
            World.requestTopic(0, method),
            [
                "id": .string(id), "token": .string(token ?? World.token(0)),
                "params": ["did": .string(World.did(0).text)],
            ]
        )
    }

    @Test("Only existing names become labels")
    func names() {
        let names = [
            AnsweredRequest.Name("device", "bind", isKnown: true), AnsweredRequest.Name("device", "x9", isKnown: false),
            AnsweredRequest.Name("x9", "x9", isKnown: false),
        ]

        #expect(names.map(\.service) == ["device", "device", "other"])
        #expect(names.map(\.method) == ["bind", "other", "other"])
    }

    @Test("Each answer to a request is observed with its method and code")
    func answers() throws {
        let world = try World(devices: 1, users: 1, bound: 1)
        var handler = ControlHandler(world.environment)

        let effects = try world.write { tx in
            try handler.handle(
                [
                    request("device/list", id: "1"), request("device/unbind", id: "2"),
                    request("device/unbind", id: "2"), request("device/list", id: "3", token: "x"),
                    request("device/fly", id: "4"),
                ],
                in: tx
            )
        }

        let noted = effects.observed.answers.map { "\($0.name.method) \($0.code)" }
        #expect(noted == ["list ok", "unbind ok", "unbind repeated", "list InvalidToken", "other InvalidRequest"])
    }

    @Test("Reports are counted by outcome")
    func reports() throws {
        let world = try World(devices: 1, users: 0)
        var handler = StatusHandler(world.environment)
        let unknown = "ll/v1/device/\(World.did(7).text)/report"

        let effects = try world.write { tx in
            try handler.handle(
                [
                    message(World.report(0), ["id": "1", "data": ["level": 1]]),
                    message(World.report(0), ["id": "2", "data": ["level": 2]]),
                    message(World.report(0), ["id": "3", "data": ["level": -1]]), message(World.report(0), ["data": 5]),
                    message(unknown, ["id": "4", "data": ["level": 1]]),
                ],
                in: tx
            )
        }
        let later = try world.write { tx in
            try handler.handle([message(World.report(0), ["id": "2", "data": ["level": 2]])], in: tx)
        }

        #expect(effects.observed.reports == [.accepted: 2, .refused: 3])
        #expect(later.observed.reports == [.repeated: 1])
    }

    /// A way in which a command ends, with the recorded outcome and duration.
    struct Way: CustomTestStringConvertible, Sendable {
        var name: String
        var sentAfter: Int64?
        var state: Command.State
        var refusal: ErrorCode?
        var outcome: String
        var milliseconds: Int64
        var testDescription: String { name }
    }

    @Test(
        "A command's time counts from its sending, or from its acceptance if it was never sent",
        arguments: [
            Way(
                name: "answered",
                sentAfter: 2,
                state: .done,
                outcome: "done",
                milliseconds: 8000
            ),
            Way(
                name: "never sent",
                state: .superseded,
                outcome: "superseded",
                milliseconds: 10_000
            ),
            Way(
                name: "given up",
                state: .failed,
                refusal: .notBound,
                outcome: "refused",
                milliseconds: 10_000
            ),
        ]
    )
    func commands(way: Way) {
        let start = Instant(milliseconds: 1_700_000_000_000)
        var command = CommandRequest(did: World.did(0), actor: .system)
            .command(cid: 1, product: World.product, at: start)
        if let seconds = way.sentAfter {
            command.turn(.sent, at: start.adding(seconds: seconds), by: .system)
        }
        command.turn(way.state, at: start.adding(seconds: 10), by: .device)
        command.refusal = way.refusal

        let ended = EndedCommand(command, at: start.adding(seconds: 60))

        #expect(ended.outcome == way.outcome)
        #expect(ended.milliseconds == way.milliseconds)
    }

    @Test("The end of a session that the gate cuts off is observed with its time")
    func revocation() throws {
        let world = try World()
        try world.makeUsers(1)
        let end = world.clock.now
        let session = try world.write { tx in
            var session = try #require(
                try tx.sessions.find(World.session(0, since: end).id)
            )
            try tx.sessions.end(&session, .operator)
            return session
        }
        world.clock.advance(seconds: 3)

        let (_, effects) = try world.work { work in
            let notice = SessionNotice(
                id: MessageID(trusted: "n"),
                scope: .session(session.id),
                reason: .operator,
                ts: end,
                actor: .system
            )
            try SessionTermination.announce(session, notice, in: &work)
        }

        #expect(effects.observed.revoked == [end])
    }
}
