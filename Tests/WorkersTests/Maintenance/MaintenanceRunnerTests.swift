import Logging
import Storage
import StoreTestKit
import Synchronization
import Testing

@testable import Workers

/// A maintenance job that records the times of its calls.
private struct NotedJob: MaintenanceJob {
    let name: String
    var interval: Duration = .seconds(5)
    var pause: Duration = .milliseconds(200)
    var pagesBetween: Int?
    let notes: Notes
    /// The function that runs one step, and gets the step's number, counted from 0.
    let body: @Sendable (Int) throws -> Bool

    /// The jobs' calls in order, and the number of times that the backlog was measured.
    final class Notes: Sendable {
        private let all = Mutex<[(name: String, at: ContinuousClock.Instant)]>([])
        private let measured = Mutex(0)

        func add(_ name: String, _ clock: any WallClock) { all.withLock { $0.append((name, clock.steady)) } }
        func measure() { measured.withLock { $0 += 1 } }

        var measurements: Int { measured.withLock(\.self) }
        var names: [String] { all.withLock { $0.map(\.name) } }
        func milliseconds(of name: String, since start: ContinuousClock.Instant) -> [Int] {
            all.withLock { notes in notes.filter { $0.name == name }.map { Int(($0.at - start) / .milliseconds(1)) } }
        }
    }

    let clock: any WallClock
    private var steps = 0

    init(_ name: String, _ notes: Notes, _ clock: any WallClock, body: @escaping @Sendable (Int) throws -> Bool) {
        self.name = name
        self.notes = notes
        self.clock = clock
        self.body = body
    }

    mutating func step() throws -> Bool {
        notes.add(name, clock)
        defer { steps += 1 }
        return try body(steps)
    }

    func backlog(limit: Int) -> Int64? {
        notes.measure()
        return 0
    }
}

@Suite("The runner of maintenance jobs") struct MaintenanceRunnerTests {
    private struct Failed: Error {}

    private let world: World
    private let notes = NotedJob.Notes()
    private let start: ContinuousClock.Instant
    private let lines = LogLines()

    init() throws {
        world = try World()
        start = world.clock.steady
    }

    private func job(
        _ name: String,
        _ body: @escaping @Sendable (Int) throws -> Bool
    ) -> NotedJob {
        NotedJob(name, notes, world.clock, body: body)
    }

    private func runner(_ jobs: [NotedJob]) -> MaintenanceRunner {
        MaintenanceRunner(jobs, world.environment, logger: Logger(label: "test") { [lines] _ in lines })
    }

    /// Runs the runner until the test's clock has advanced by some milliseconds.
    ///
    /// The clock advances only while no job is due.
    private func run(_ runner: inout MaintenanceRunner, milliseconds: Int64) {
        let end = start + .milliseconds(milliseconds)
        while world.clock.steady < end {
            let rest = runner.turn()
            world.clock.advance(milliseconds: Int64((rest / .milliseconds(1)).rounded(.up)))
        }
    }

    private func times(_ name: String) -> [Int] { notes.milliseconds(of: name, since: start) }

    @Test("A run takes its steps with pauses, and the next begins an interval after it began") func pace() {
        var runner = runner([job("three") { $0 % 3 < 2 }, job("one") { _ in false }])
        run(&runner, milliseconds: 10_000)
        #expect(times("three") == [0, 200, 400, 5000, 5200, 5400])
        #expect(times("one") == [0, 5000])
    }

    @Test("Setting the wall clock back affects nothing")
    func setBack() {
        var runner = runner([job("one") { _ in false }])
        run(&runner, milliseconds: 6000)
        world.clock.set(back: 86_400)
        run(&runner, milliseconds: 12_000)
        #expect(times("one") == [0, 5000, 10_000])
    }

    @Test("A job that never ends doesn't delay the others")
    func fairness() {
        let clock = world.clock
        var endless = job("endless") { _ in
            clock.advance(milliseconds: 300)
            return true
        }
        endless.pause = .zero
        var runner = runner([endless, job("other") { _ in false }])
        run(&runner, milliseconds: 10_400)
        #expect(times("other") == [300, 5400])
    }

    @Test("A failure ends a run and is a warning the first time, and other jobs continue")
    func failure() {
        var failing = job("failing") { step in
            if step < 3 { throw Failed() }
            return false
        }
        failing.interval = .seconds(60)
        var runner = runner([failing, job("other") { _ in false }])
        run(&runner, milliseconds: 20_000)
        #expect(times("failing") == [0, 5000, 10_000, 15_000])
        #expect(times("other") == [0, 5000, 10_000, 15_000])
        #expect(lines.all.filter { $0.contains("failing") }.count == 3)
        #expect(lines.warnings.filter { $0.contains("failing") }.count == 1)
    }

    @Test("A job is due early once enough has been written", .onlyOnFile)
    func written() throws {
        var writing = job("writing") { _ in false }
        writing.interval = .seconds(1000)
        writing.pagesBetween = 1
        var runner = runner([writing])
        run(&runner, milliseconds: 6000)
        #expect(times("writing") == [0])
        try world.write { try $0.meta.set("a", to: "b") }
        run(&runner, milliseconds: 12_000)
        #expect(times("writing").count == 2)
    }

    @Test("Backlogs are measured every five seconds, after the first steps")
    func measuring() {
        var runner = runner([job("one") { _ in false }])
        _ = runner.turn()
        #expect(notes.measurements == 0 && notes.names == ["one"])
        run(&runner, milliseconds: 14_000)
        #expect(notes.measurements == 3)
    }

    @Test("A thread stops between two steps of a run")
    func stop() async throws {
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        var endless = job("endless") { _ in
            continuation.yield()
            return true
        }
        endless.pause = .milliseconds(1)
        let thread = MaintenanceThread(
            { [endless] _, _ in [endless] },
            world.environment,
            logger: Logger(label: "test") { [lines] _ in lines }
        )
        async let end: Void = thread.run()
        for await _ in stream { break }
        thread.stop()
        await end
        #expect(!notes.names.isEmpty)
    }
}
