import ArgumentParser
import Domain
import Load
import Storage
import Synchronization
import Workers

/// Measures how much faster the service gets with each additional process: `lamplighter-bench cluster`.
///
/// A proxy delays the service's round trips to the database, by 5 ms unless an option sets a different delay.
extension BenchCluster {
    /// The numbers of processes to measure with, in ascending order.
    ///
    /// The later results are compared with the first result.
    private var counts: [Int] { processes.split(separator: ",").compactMap { Int($0) } }

    func validate() throws {
        let isAscending = counts == counts.sorted()
        guard !counts.isEmpty, counts.allSatisfy({ (1...16).contains($0) }), isAscending else {
            throw ValidationError("--processes takes ascending numbers from 1 to 16.")
        }
        guard lanes * (counts.last ?? 1) <= 32, lanes > 0, devices >= 320 else {
            throw ValidationError("--lanes times the last of --processes must be at most 32, --devices at least 320.")
        }
        guard delay >= 0, batch > 0, depth > 0, rate > 0, seconds > 0, overlap > 0 else {
            throw ValidationError("--delay must not be negative, and every other number must be greater than 0.")
        }
    }

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult("\(lanes) busy lanes a process, batches of \(batch), \(seconds) s each")
        let cluster = try await ClusterField(devices: devices, delay: delay, batch: batch, in: folder)
        try await cluster.use { try await measure($0, &result) }
        return result
    }

    private func measure(_ cluster: ClusterField, _ result: inout BenchResult) async throws {
        let roundTrip = try cluster.roundTrip()
        result.add("to the database and back", .init(roundTrip, "ms", at: "roundTrip"))
        for count in counts {
            try await cluster.startProcesses(count)
            let (perSecond, microseconds) = try reports(cluster)
            result.addSpeed(of: count, perSecond, microseconds: microseconds)
            if count <= 2 {
                let delays = try await commands(cluster)
                result.addCommands(delays, processes: count)
            }
        }
        for isSorted in [true, false] {
            let count = try await deadlocks(cluster, isSorted: isSorted)
            result.addDeadlocks(count, isSorted: isSorted)
        }
    }

    func goals(_ result: BenchResult) -> [BenchGoal] { Self.goals(result, processes: counts, overlap: overlap) }

    /// Returns the goals for a result.
    ///
    /// `processes` lists the numbers of processes with which the benchmark measured, in ascending order.
    static func goals(_ result: BenchResult, processes: [Int], overlap: Double) -> [BenchGoal] {
        guard let first = processes.first, let last = processes.last else { return [] }
        var goals = processes.dropFirst().map { count in
            BenchGoal(
                "\(count) processes / \(first)",
                result["speeds.\(count).perSecond"] / result["speeds.\(first).perSecond"],
                atLeast: 0.8 * Double(count) / Double(first)
            )
        }
        goals.append(
            BenchGoal(
                "processor time of a report, \(last) / \(first)",
                result["speeds.\(last).microseconds"] / result["speeds.\(first).microseconds"],
                atMost: 1.2
            )
        )
        let p99 = [1, 2].compactMap { result.samples("commandMilliseconds.\($0).p99").first }
        if p99.count == 2 {
            let name = "command p99, app and device on different processes / one process"
            goals.append(BenchGoal(name, p99[1] / p99[0], atMost: 1.5))
        }
        return goals + [
            BenchGoal("deadlocks in \(Int(overlap)) s of overlapping devices", result["deadlocks"], atMost: 0),
            BenchGoal("deadlocks without an order, which must show", result["unsortedDeadlocks"], atLeast: 1),
        ]
    }

    // MARK: Reports

    /// Returns how many reports are answered per second, and the processor time per report in microseconds.
    ///
    /// The processor time includes all processes and the database.
    private func reports(_ cluster: ClusterField) throws -> (Double, Double) {
        let load = ClusterLoad(devices: try cluster.devices(ofLanes: lanes), depth: depth, root: cluster.field.root)
        defer { load.disconnect() }
        try load.connect(port: cluster.field.port)
        try load.warmUp()
        let (before, work, stopwatch) = (load.answered, cluster.workSeconds, Stopwatch())
        try load.run(seconds: seconds)
        let count = Double(load.answered - before)
        return (count / stopwatch.seconds, (cluster.workSeconds - work) / count * 1e6)
    }

    // MARK: Commands

    /// Returns the durations of commands' round trips in milliseconds.
    ///
    /// If several processes run, a command's app and its device are always served by two different processes.
    private func commands(_ cluster: ClusterField) async throws -> [Double] {
        let holders = try cluster.holders(of: "control")
        let isShared = Set(holders.values).count > 1
        let terminals = cluster.field.seed.terminals
        let pairs = cluster.field.seed.bound.enumerated().compactMap { (place, device) -> (LoadDevice, Int)? in
            let owner = (devices + place) % terminals.count
            let lanes = [device.did, terminals[owner].terminalID].map {
                LanePlan.shared.lane(of: .control, for: $0).number
            }
            let isApart = holders[lanes[0]] != holders[lanes[1]]
            return isApart == isShared ? (device, owner) : nil
        }.prefix(100)
        let (called, owners) = (pairs.map(\.0), pairs.map(\.1))
        let load = CommandLoad(devices: called, terminals: terminals, owners: owners, root: cluster.field.root)
        return try await load.roundTrips(port: cluster.field.port, pause: .seconds(5), seconds: 2 * seconds, rate: rate)
    }

    // MARK: Locks

    /// Counts the deadlocks while several threads lock overlapping sets of devices.
    ///
    /// Each transaction locks twenty devices, chosen at random from the same fifty. Meanwhile, all devices report.
    ///
    /// - Returns: The number of deadlocks that the database detected and resolved.
    private func deadlocks(_ cluster: ClusterField, isSorted: Bool) async throws -> Int {
        let store = cluster.field.store
        let before = try store.deadlocks()
        let isOver = Flag()
        let bound = cluster.field.seed.bound
        let devices = Array(cluster.field.seed.boundIDs.prefix(50))
        for _ in 0..<4 { LockingThread(store: store, devices: devices, isSorted: isSorted, isOver: isOver).start() }
        let load = ClusterLoad(devices: bound, depth: 1, root: cluster.field.root)
        try load.connect(port: cluster.field.port)
        try load.warmUp()
        try load.run(seconds: isSorted ? overlap : min(10, overlap))
        load.disconnect()
        isOver.isSet.store(true, ordering: .releasing)
        // The server updates its statistics within a second or two.
        try await Task.sleep(for: .seconds(3))
        return try store.deadlocks() - before
    }
}

extension BenchResult {
    /// Adds to the results the speed that was reached with `processes` processes.
    mutating func addSpeed(of processes: Int, _ perSecond: Double, microseconds: Double) {
        add(
            "\(processes) processes",
            .init(perSecond, "reports/s answered", at: "speeds.\(processes).perSecond"),
            .init(microseconds, "µs of the processor each", at: "speeds.\(processes).microseconds")
        )
    }

    /// Adds to the results the durations of commands' round trips, in milliseconds.
    mutating func addCommands(_ delays: [Double], processes: Int) {
        let label = "\(processes) processes: a command there and back"
        add(label, delays: delays, at: "commandMilliseconds.\(processes)")
    }

    /// Adds the number of deadlocks.
    ///
    /// `isSorted` is true for the service's locking order, and false for a random order.
    mutating func addDeadlocks(_ count: Int, isSorted: Bool) {
        add(
            "of transactions that lock in \(isSorted ? "order, beside reports" : "any order")",
            .init(Double(count), "deadlocks", at: isSorted ? "deadlocks" : "unsortedDeadlocks")
        )
    }
}

private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}

private struct LockingThread {
    let store: Store
    let devices: [DeviceID]
    let isSorted: Bool
    let isOver: Flag

    func start() {
        PlainThread.detach {
            while !isOver.isSet.load(ordering: .acquiring) {
                let some = Array(devices.shuffled().prefix(20))
                // The transaction's error can be ignored, since the database counts the deadlocks.
                try? store.batch(at: SystemClock().now) { tx in
                    if isSorted { return _ = try tx.lock(devices: some) }
                    for did in some {
                        tx.beginPiece()
                        try tx.lock(devices: [did])
                    }
                }
            }
        }
    }
}
