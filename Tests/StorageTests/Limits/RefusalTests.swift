import Domain
import Storage
import Testing

@Suite("Stored refusals") struct RefusalTests {
    private func refusal(
        _ number: Int,
        _ reason: String = "badSecret",
        at seconds: Int64 = 0
    )
        -> ClientRefusal
    {
        ClientRefusal(
            action: "connect",
            username: "device:d-1",
            clientID: "planted-\(number)",
            address: "192.0.2.7",
            topic: nil,
            reason: reason,
            at: Make.at(seconds)
        )
    }

    private func add(_ refusals: [ClientRefusal], to world: World, keeping max: Int = 1000) throws {
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.refusals.add(refusals, keeping: max, since: Make.at(-604_800), at: Make.now)
        }
    }

    @Test("Similar refusals within an hour are one row with their number and the last time")
    func coalesces() throws {
        let world = try World()
        var twice = refusal(1, at: 5)
        twice.times = 2
        try add([refusal(1), refusal(2)], to: world)
        try add([twice, refusal(1, at: 7200)], to: world)

        let rows = try world.store.read { try $0.refusals.page(since: Make.at(-1), limit: 10).map(\.refusal) }

        #expect(rows.map(\.clientID) == ["planted-2", "planted-1", "planted-1"])
        #expect(rows.map(\.times) == [1, 3, 1])
        #expect(rows[1].firstAt == Make.now && rows[1].lastAt == Make.at(5))
    }

    @Test("The newest refusals of some days are stored, and counted by reason")
    func bounds() throws {
        let world = try World()
        try add([refusal(0, at: -700_000)], to: world)
        try add((1...30).map { refusal($0, at: Int64($0)) }, to: world, keeping: 20)
        try add([refusal(31, "tooFast", at: 31)], to: world, keeping: 20)

        let rows = try world.store.read { try $0.refusals.page(since: Make.at(-1_000_000), limit: 100).map(\.refusal) }
        let counts = try world.store.read { try $0.refusals.counts(since: Make.at(25)) }

        #expect(rows.map(\.clientID) == (12...31).map { "planted-\($0)" })
        #expect(counts.map(\.reason) == ["badSecret", "tooFast"])
        #expect(counts.map(\.times) == [6, 1])
    }

    @Test("The files do not reveal which clients were refused")
    func sealed() throws {
        let world = try World()
        try add([refusal(4711)], to: world)

        #expect(try !world.holds("planted-4711"))
        #expect(try world.holds("badSecret"), "the control: the rest is there")
    }
}
