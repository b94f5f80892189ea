import Testing

@testable import Service

@Suite struct TourTests {
    private let tour = Tour(
        host: "127.0.0.1",
        port: 1883,
        root: "ll/v1",
        demo: DemoKeys(
            appID: "demo",
            appSecret: "app-secret",
            productKey: String(repeating: "0", count: 32),
            productSecret: "product-secret"
        ),
        mac: "aabbccddeeff",
        terminal: String(repeating: "f", count: 32)
    )

    @Test("Each command is a single line with balanced quotes")
    func lines() {
        #expect(tour.steps.count == 7)
        for step in tour.steps {
            #expect(!step.command.contains { $0.isNewline })
            #expect(step.command.count { $0 == "'" } % 2 == 0)
            #expect(!step.title.isEmpty)
        }
    }

    @Test("Each client id is the one that its principal requires")
    func clientIDs() {
        #expect(tour.steps[0].command.contains("-i aabbccddeeff -u product:"))
        #expect(tour.steps[1].command.contains("-i $did -u device:$did"))
        #expect(tour.steps[2].command.contains("-i \(tour.terminal) -u app:demo"))
    }
}
