import Domain
import Logging
import Testing

@testable import Workers

@Suite("Log lines about refused messages and dead letters")
struct BoundedLogTests {
    private let lines = LogLines()

    private func logger(_ level: Logger.Level = .info) -> Logger {
        var logger = Logger(label: "test") { [lines] _ in lines }
        logger.logLevel = level
        return logger
    }

    @Test("Lines beyond the limit per second are left out, and the next line states their number") func bounded() {
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

    @Test("A refused request is a line with method, code and field, without any value") func refused() throws {
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

    @Test("A dead letter is a single line, even if it was a request")
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
