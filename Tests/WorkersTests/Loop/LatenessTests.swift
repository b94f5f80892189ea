import Domain
import JSON
import Testing
import Wire

@testable import Workers

@Suite("A worker's echoes to itself")
struct LatenessTests {
    /// Waits for the next due echo, and returns its message with the two numbers in the message's payload.
    ///
    /// `number` is the echo's own number. `seen` is the number of the newest complete echo. An echo is complete when it
    /// has returned to the worker and the worker has handled all earlier messages.
    private func next(
        _ lateness: inout Lateness,
        queued: ContinuousClock.Instant?
    ) throws -> (message: OutboundMessage, number: Int64, seen: Int64) {
        let end = ContinuousClock.now + .seconds(5)
        var found: OutboundMessage?
        while found == nil, .now < end { found = lateness.measure(queued: queued, unpublished: nil) }
        let message = try #require(found)
        let object = try Payload.object(message.payload[...])
        let number = try #require(object["number"]?.intValue)
        return (message, number, try #require(object["seen"]?.intValue))
    }

    private func inbound(_ topic: String, _ payload: [UInt8] = []) -> Inbound {
        Inbound(
            topic: Array(topic.utf8)[...],
            payload: payload[...],
            responseTopic: nil,
            correlation: nil,
            isRetained: false
        )
    }

    @Test("An echo is complete once it has returned and all earlier messages are done")
    func seen() throws {
        let world = try World()
        world.environment.limits.echoInterval = .milliseconds(100)
        var lateness = Lateness(.status, world.environment, metrics: WorkerMetrics(Lane(.status)))
        let before = ContinuousClock.now

        let first = try next(&lateness, queued: nil)
        #expect(first.seen == 0)
        let report = inbound("ll/v1/device/d/report")
        let echo = inbound(first.message.topic, first.message.payload)
        #expect(lateness.takeEchoes(from: [report, echo]).count == 1)
        let second = try next(&lateness, queued: before)
        #expect(second.seen == 0 && second.number > first.number)
        let third = try next(&lateness, queued: .now)
        #expect(third.seen == first.number)
    }

    @Test("An echo states the number of lanes if work is divided")
    func lanes() throws {
        let world = try World()
        world.environment.limits.echoInterval = .milliseconds(100)
        var alone = Lateness(.status, world.environment, metrics: WorkerMetrics(Lane(.status)))
        let only = try Payload.object(next(&alone, queued: nil).message.payload[...])
        #expect(only["lanes"] == nil)

        let lane = LanePlan.shared.lane(of: .status, number: 7)
        (world.environment.plan, world.environment.shards) = (.shared, lane.shards)
        var divided = Lateness(.status, world.environment, metrics: WorkerMetrics(lane))
        let echo = try next(&divided, queued: nil).message
        #expect(echo.topic == "ll/v1/system/echo/status.07")
        #expect(try Payload.object(echo.payload[...])["lanes"] == 32)
    }

    @Test("With traffic two more echoes follow at once, and without traffic none", arguments: [true, false]) func haste(
        isBusy: Bool
    ) throws {
        let world = try World()
        world.environment.limits.echoInterval = .milliseconds(600)
        var lateness = Lateness(.status, world.environment, metrics: WorkerMetrics(Lane(.status)))
        #expect(lateness.pause == nil)

        for round in 0..<3 {
            let echo = try next(&lateness, queued: nil)
            var batch = [inbound(echo.message.topic, echo.message.payload)]
            if isBusy, round == 0 { batch.append(inbound("ll/v1/device/d/report")) }
            _ = lateness.takeEchoes(from: batch)
            _ = lateness.measure(queued: nil, unpublished: nil)
            #expect((lateness.pause != nil) == (isBusy && round < 2))
        }
    }
}
