import Files
import Glibc
import JSON
import Load
import Service

/// One overload on a ground: what floods, and the honest devices beside it.
struct OverloadStage {
    let ground: AbuseGround
    let probe: OverloadProbe
    let seconds: Double
    /// The machine's best in answers a second; 0 while it is not known.
    let best: Double

    private static let warmSeconds = 2.0
    private static let restSeconds = 5.0
    private static let quietSeconds = 3.0

    /// Floods for the time that is given, then looks how things are five seconds later.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    func flood(
        _ name: String,
        _ deed: HostileDeed,
        devices: Range<Int>,
        rate: Double = 0
    ) async throws -> OverloadFinding {
        var finding = OverloadFinding(name)
        finding.best = best
        var orders = ground.orders(deed, seconds: Self.warmSeconds + seconds)
        orders.connections = devices.count
        orders.devices = Array(ground.seed.honest.unbound[devices])
        orders.rate = rate
        orders.counter = ground.directory.path + "/../answers"
        unlink(orders.counter)
        let counter = try SharedCounter(path: orders.counter)
        do {
            finding.before = try measure()
            let hostile = try await BenchProcess.hostile(
                orders,
                output: ground.directory.path + "/../hostile"
            )
            try probe.live(seconds: Self.warmSeconds)
            let begin = (counter.value, LoadClock.nanoseconds)
            try probe.live(seconds: seconds - 0.5)
            finding.rate =
                Double(counter.value - begin.0) * 1e9 / Double(LoadClock.nanoseconds - begin.1)
            _ = await hostile.process.waitForExit()
            finding.during = try probe.finish(seconds: Self.restSeconds)
            finding.after = try await rest()
        } catch let error as LoadError {
            finding.failure = "\(error)"
        }
        finding.stands = ground.stands
        return finding
    }

    /// Simulated devices, which repeat what is not answered, and a service that is frozen for ten seconds
    /// in the middle; what the honest devices notice is counted from ten seconds after that.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    func freeze(_ name: String, rate: Double, devices: Int) async throws -> OverloadFinding {
        var finding = OverloadFinding(name)
        finding.wanted = rate
        finding.before = try measure()
        let output = ground.directory.path + "/../simulate"
        let simulation = try await BenchProcess.simulate(
            ground,
            devices: devices,
            rate: rate,
            seconds: seconds,
            output: output
        )
        do {
            try probe.live(seconds: seconds / 2)
            ground.send(SIGSTOP)
            usleep(10_000_000)
            ground.send(SIGCONT)
            try probe.live(seconds: 10)
            _ = try probe.finish()
            try probe.live(seconds: max(1, seconds / 2 - 20))
            finding.during = try probe.finish()
            _ = await simulation.process.waitForExit()
            finding.after = try await rest()
        } catch let error as LoadError {
            finding.failure = "\(error)"
        }
        let said = TextFile.read(output)?.split(separator: "\n").last ?? ""
        let summary = (try? JSONValue.parse(Array(said.utf8)))?.objectValue
        finding.lost = summary?["lost"]?.intValue.map { Int($0) } ?? .max
        finding.rate = Double(summary?["answered"]?.intValue ?? 0) / seconds
        finding.stands = ground.stands
        return finding
    }

    private func rest() async throws -> OverloadDelays {
        // The effects of the flood are over by then, five seconds after its end.
        usleep(UInt32(Self.restSeconds * 1e6))
        return try measure()
    }

    private func measure() throws -> OverloadDelays {
        probe.forget()
        try probe.live(seconds: Self.quietSeconds)
        return try probe.finish()
    }
}
