import TestKit
import Testing

@testable import Web

@Suite struct ReadinessTests {
    @Test("The service is ready when all its parts are ready; otherwise it names the parts that aren't")
    func parts() {
        let readiness = Readiness(parts: ["broker", "store"])
        readiness.isReady("store")

        #expect(!readiness.isAllReady)
        #expect(readiness.parts.map(\.name) == ["broker", "store"])
        #expect(readiness.parts.map(\.waitsFor) == ["starting", nil])

        readiness.isReady("broker")
        #expect(readiness.isAllReady)

        readiness.isWaiting("broker", for: "it ended")
        #expect(readiness.parts.first?.waitsFor == "it ended")
    }

    @Test("The last part wakes a waiting task", .endsInTime)
    func waiting() async {
        let readiness = Readiness(parts: ["a", "b"])
        async let done: Void = readiness.waitForAll()
        readiness.isReady("a")
        readiness.isReady("b")

        await done
        #expect(readiness.isAllReady)
    }

    @Test("A cancelled wait ends", .endsInTime)
    func cancelled() async {
        let readiness = Readiness(parts: ["never"])
        let task = Task { await readiness.waitForAll() }
        task.cancel()

        await task.value
        #expect(!readiness.isAllReady)
    }
}
