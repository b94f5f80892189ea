import Domain
import Load
import Service
import Storage
import Synchronization
import Workers

/// The options of `lamplighter-bench cluster`.
package struct BenchClusterOptions: Sendable {
    /// The numbers of processes to measure in turn; the first is the base of comparison.
    package var processes = [1, 2, 4, 8]
    /// The round trip time to the database, in milliseconds.
    package var delayMilliseconds = 5.0
    /// The lanes of each process whose devices report.
    ///
    /// With the round trip time, they rather than the processor limit the process.
    package var lanes = 4
    /// The number of messages in a batch.
    package var batch = 10
    /// The number of devices that report.
    package var devices = 640
    /// The reports that each device has under way.
    package var depth = 4
    /// The number of users with a terminal that sends commands.
    package var terminals = 64
    /// The commands a second.
    package var rate = 20.0
    /// The seconds that each measurement takes.
    package var seconds = 10.0
    /// The seconds of transactions that lock overlapping devices.
    package var overlapSeconds = 60.0

    /// Creates the options of a full run.
    package init() {}
}

/// Measures what further processes add to one database a few milliseconds away: `lamplighter-bench
/// cluster`.
package struct BenchCluster: Sendable {
    private let options: BenchClusterOptions
    private let tell: @Sendable (String) -> Void

    /// Creates a benchmark; `tell` receives a line for each measurement.
    package init(_ options: BenchClusterOptions, tell: @escaping @Sendable (String) -> Void) {
        self.options = options
        self.tell = tell
    }

    /// Runs the benchmark in a temporary directory, which it removes afterwards.
    ///
    /// - Throws: A `Problem`, `LoadError`, `MosquittoError` or `PostgresError`.
    package func run() async throws -> BenchClusterResult {
        FileLimit.raise()
        let folder = try BenchFolder.make()
        defer { BenchFolder.remove(folder) }
        let field = try await ClusterField(options, in: folder)
        do {
            let result = try await measure(field)
            await field.stop()
            return result
        } catch {
            await field.stop()
            throw error
        }
    }

    private func measure(_ field: ClusterField) async throws -> BenchClusterResult {
        var result = BenchClusterResult(options: options)
        result.roundTrip = try field.roundTrip()
        tell("a round trip to the database: \(BenchGoal.short(result.roundTrip)) ms")
        for count in options.processes {
            try await field.startProcesses(count)
            let speed = try reports(field, processes: count)
            result.speeds.append(speed)
            tell(speed.text)
            if count <= 2 {
                let delays = try await commands(field)
                result.commands[count] = delays
                tell(
                    "\(count) processes: a command there and back, p50 "
                        + "\(BenchGoal.short(BenchCommandsResult.at(0.5, delays))) ms, p99 "
                        + "\(BenchGoal.short(BenchCommandsResult.at(0.99, delays))) ms"
                )
            }
        }
        result.deadlocks = try await overlap(field, isSorted: true)
        tell("\(result.deadlocks) deadlocks of transactions that lock in order, beside reports")
        result.unsortedDeadlocks = try await overlap(field, isSorted: false)
        tell("\(result.unsortedDeadlocks) of such that lock in any order")
        return result
    }

    // MARK: Reports

    private func reports(
        _ field: ClusterField,
        processes: Int
    ) throws -> BenchClusterResult.Speed {
        let load = ClusterLoad(
            devices: try field.devices(ofLanes: options.lanes),
            depth: options.depth,
            root: field.root
        )
        defer { load.disconnect() }
        try load.connect(port: field.port)
        try load.warmUp()
        let before = (load.answered, field.workSeconds, LoadClock.nanoseconds)
        try load.run(seconds: options.seconds)
        let count = Double(load.answered - before.0)
        return .init(
            processes: processes,
            perSecond: count / (Double(LoadClock.nanoseconds - before.2) / 1e9),
            microseconds: (field.workSeconds - before.1) / count * 1e6
        )
    }

    // MARK: Commands

    /// Returns the round trips in milliseconds, ascending.
    ///
    /// With several processes, only commands whose app and device are served by different processes
    /// are measured.
    private func commands(_ field: ClusterField) async throws -> [Double] {
        let holders = try field.holders(of: "control")
        let isShared = Set(holders.values).count > 1
        let terminals = field.seed.terminals
        let pairs = field.seed.bound.enumerated().compactMap {
            (place, device) -> (LoadDevice, Int)? in
            let owner = (options.devices + place) % terminals.count
            let lanes = [device.did, terminals[owner].terminalID].map {
                LanePlan.shared.lane(of: .control, for: $0).number
            }
            let isApart = holders[lanes[0]] != holders[lanes[1]]
            return isApart == isShared ? (device, owner) : nil
        }.prefix(100)
        let load = CommandLoad(
            devices: pairs.map(\.0),
            terminals: terminals,
            owners: pairs.map(\.1),
            crowd: nil,
            root: field.root
        )
        defer { load.disconnect() }
        try load.connect(port: field.port)
        // The service must process every device's arrival first.
        try await Task.sleep(for: .seconds(5))
        try load.pace(seconds: 2, rate: options.rate)
        load.isTiming = true
        try load.pace(seconds: 2 * options.seconds, rate: options.rate)
        return load.delays.map { Double($0) / 1e6 }.sorted()
    }

    // MARK: Locks

    /// Locks twenty of fifty devices in each of many transactions, while all devices report.
    ///
    /// - Returns: The number of deadlocks that the database broke.
    private func overlap(_ field: ClusterField, isSorted: Bool) async throws -> Int {
        let before = try field.store.deadlocks()
        let isOver = Flag()
        let devices = field.seed.bound.prefix(50).map { DeviceID(trusted: $0.did) }
        for _ in 0..<4 {
            LockingThread(store: field.store, devices: devices, isSorted: isSorted, isOver: isOver)
                .start()
        }
        let load = ClusterLoad(devices: field.seed.bound, depth: 1, root: field.root)
        try load.connect(port: field.port)
        try load.warmUp()
        try load.run(seconds: isSorted ? options.overlapSeconds : min(10, options.overlapSeconds))
        load.disconnect()
        isOver.isSet.store(true, ordering: .releasing)
        // The server publishes its counts within a second or two.
        try await Task.sleep(for: .seconds(3))
        return try field.store.deadlocks() - before
    }
}

/// A signal for threads to end.
private final class Flag: Sendable {
    let isSet = Atomic<Bool>(false)
}

/// Locks several devices in one transaction after another, in the service's order or in any order.
private struct LockingThread {
    let store: Store
    let devices: [DeviceID]
    let isSorted: Bool
    let isOver: Flag

    func start() {
        PlainThread.detach {
            while !isOver.isSet.load(ordering: .acquiring) {
                let some = Array(devices.shuffled().prefix(20))
                // The database counts the failures.
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
