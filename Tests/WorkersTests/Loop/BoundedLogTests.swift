import Domain
import Logging
import Testing

@testable import Workers

@Suite("Log lines about refused and dead messages")
struct BoundedLogTests {
    private let lines = LogLines()

    private func logger(_ level: Logger.Level = .info) -> Logger {
        var logger = Logger(label: "test") { [lines] _ in lines }
        logger.logLevel = level
        return logger
    }

    @Test("Beyond so many a second they are left out, and the next one says how many") func bounded() {
        let log = BoundedLog(linesPerSecond: 2)
        let start = ContinuousClock.now
        for number in 0..<5 { log.info(logger(), "refused", at: start, metadata: ["n": "\(number)"]) }
        log.info(logger(), "refused", at: start + .seconds(1), metadata: ["n": "5"])

        #expect(
            lines.all == [
                "refused [\"n\": 0]", "refused [\"n\": 1]",
                "Lines about refused messages and dead letters were omitted [\"lines\": 3]", "refused [\"n\": 5]",
            ]
        )
    }

    @Test("A refused request is one line with its method, code and field, and no value of it") func refused() throws {
        let world = try World(devices: 1, users: 1, bound: 1)
        var effects = Effects()
        effects.observed.add(
            AnsweredRequest(
                name: .init("device", "control", isKnown: true),
                code: "InvalidRequest",
                outcome: .refused,
                field: "params.data.level",
                origin: .init(terminal: World.terminal(0), id: .init(trusted: "q1"))
            )
        )
        ObservationLog(logger: logger(), bounded: world.environment.refusalLog).write(effects)

        let line = try #require(lines.all.first)
        #expect(lines.all.count == 1)
        for word in ["A request was refused", "device/control", "InvalidRequest", "level", "q1"] {
            #expect(line.contains(word), "\(line)")
        }
    }

    @Test("A dead letter is one line, also where it was a request")
    func dead() {
        var effects = Effects()
        effects.deadLetter(.malformed, "not JSON", topic: "t/1", payload: [])
        effects.observed.add(
            AnsweredRequest(name: .init("device", "bind", isKnown: true), code: "InvalidRequest", outcome: .deadLetter)
        )
        ObservationLog(logger: logger(), bounded: BoundedLog(linesPerSecond: 9)).write(effects)

        #expect(lines.all.count == 1)
        #expect(lines.all.first?.contains("t/1") == true)
    }
}
