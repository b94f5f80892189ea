import Domain
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Stored refusals and counted reports") struct RefusalLogTests {
    private func message(_ clientID: String, at now: Instant) -> ArraySlice<UInt8> {
        let refusal = ClientRefusal(
            action: "connect",
            username: "",
            clientID: clientID,
            address: "192.0.2.7",
            topic: nil,
            reason: "usernameMissing",
            at: now
        )
        return RefusalCodec.message(refusal, missed: 0)[...]
    }

    @Test("The service's own connections are neither reported nor stored as refusals, and all others are")
    func ours() throws {
        let world = try World()
        let now = world.clock.now
        var log = RefusalLog(world.environment.limits) { $0.clientID == "ours" }

        #expect(log.take(message("ours", at: now)) == nil)
        #expect(!log.isDue(at: .max))
        #expect(log.take(message("other", at: now))?.clientID == "other")
        try log.write(to: world.store, at: now)

        let (kept, counts) = try world.store.read { tx in
            (
                try tx.refusals.page(since: now, limit: 10).map(\.refusal.clientID),
                try tx.load.counts(of: .refusals, until: now)
            )
        }
        #expect(kept == ["other"] && counts.last == 1)
    }

    @Test("Stored reports are counted once, and repeated and refused reports never") func reports() throws {
        let world = try World()
        var job = LoadCounts(world.environment)
        var observed = Observations()
        for outcome in [ReportOutcome.accepted, .accepted, .repeated, .refused] { observed.count(outcome) }
        func count() throws -> Int64 {
            try world.store.read { tx in try tx.load.counts(of: .reports, until: world.clock.now).reduce(0, +) }
        }

        _ = try job.step()
        #expect(try count() == 0)
        world.environment.observations.record(observed, at: world.clock.now)
        for _ in 0..<2 { _ = try job.step() }
        #expect(try count() == 2)
        world.environment.observations.record(observed, at: world.clock.now)
        _ = try job.step()
        #expect(try count() == 4)
    }
}
