import Domain
import Storage
import Testing

@Suite("The load of the last day") struct LoadTests {
    private let day: Int64 = 86_400
    private let step = LoadTable.stepSeconds

    private func add(_ count: Int64, at seconds: Int64, of kind: LoadTable.Kind = .reports, to world: World) throws {
        let moment = Make.at(seconds)
        try world.store.arrange(at: moment) { (tx) throws in
            try tx.load.add([(at: moment, count: count)], of: kind, at: moment)
        }
    }

    private func counts(_ world: World, _ kind: LoadTable.Kind = .reports, at seconds: Int64 = 0) throws -> [Int64] {
        try world.store.read { try $0.load.counts(of: kind, until: Make.at(seconds)) }
    }

    @Test("Counts within the same ten minutes are added, separately for each kind") func sums() throws {
        let world = try World()
        try add(3, at: 0, to: world)
        try add(4, at: 0, to: world)
        try add(5, at: -step, to: world)
        try add(6, at: 0, of: .refusals, to: world)

        let reports = try counts(world)

        #expect(reports.count == 144)
        #expect(Array(reports.suffix(3)) == [0, 5, 7] && reports.reduce(0, +) == 12)
        #expect(try counts(world, .refusals).suffix(2) == [0, 6])
    }

    @Test("Counts older than a day are neither shown nor stored")
    func forgets() throws {
        let world = try World()
        try add(1, at: -day, to: world)
        try add(2, at: -day + step, to: world)
        #expect(try counts(world, at: -step).reduce(0, +) == 3)

        try add(4, at: 0, to: world)

        #expect(try counts(world).reduce(0, +) == 6 && counts(world).first == 2)
        #expect(try counts(world, at: -step).reduce(0, +) == 2)
    }

    @Test("Stored refusals are counted in the ten minutes in which their row changed last") func refusals() throws {
        let world = try World()
        var refusal = ClientRefusal(
            action: "connect",
            username: "",
            clientID: "c",
            address: "",
            topic: nil,
            reason: "badSecret",
            at: Make.now
        )
        refusal.times = 9
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.refusals.add([refusal], keeping: 10, since: Make.at(-1), at: Make.now)
        }

        #expect(try counts(world, .refusals).last == 9)
    }
}
