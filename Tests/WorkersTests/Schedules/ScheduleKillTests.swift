import Domain
import Foundation
import JSON
import Mosquitto
import Storage
import StoreTestKit
import TestKit
import Testing
import Wire

@testable import Workers

/// Tests that kill the scheduler and the schedule worker when many schedules are due.
///
/// The tests use a real broker. By default, the tests use 200 schedules. With `LAMPLIGHTER_LONG=1`, the tests use 1,000
/// schedules and kill the process far more often.
@Suite("Schedules with kills around their time", .serialized, .enabled(if: BrokerProcess.isInstalled))
struct ScheduleKillTests {
    private static let isLong = ProcessInfo.processInfo.environment["LAMPLIGHTER_LONG"] == "1"
    private static let count = isLong ? 1000 : 200
    private static let seeds = isLong ? Array(0..<10) : [0, 1]
    private static let steps = ["read", "inTransaction", "beforeCommit", "committed", "published", "flushed"]

    @Test(
        "Each occurrence has one run, and its device gets one command",
        .endsInTime,
        arguments: seeds
    )
    func kill(_ seed: Int) throws {
        let broker = try BrokerProcess()
        let directory = try TemporaryDirectory()
        let path = try TestStore.place(in: directory)
        let store = try Self.store(path)
        let dueAt = try Self.fill(store)
        var devices = try Self.listen(broker.port)
        var random = Seed(seed)

        var commands: [String: Set<Int64>] = [:]
        var kills = 0
        let deadline = ContinuousClock.now.advanced(by: .seconds(120))
        while commands.count < Self.count, ContinuousClock.now < deadline {
            // The last process runs until it has finished its work.
            let isLast = kills >= (Self.isLong ? 60 : 15)
            let step = isLast ? "none" : Self.steps.randomElement(using: &random) ?? "none"
            let probe = try Self.probe(broker.port, path, step, Int.random(in: 0...12, using: &random))
            let end = ContinuousClock.now.advanced(by: .seconds(isLast ? 120 : 3))
            while probe.isRunning, commands.count < Self.count, ContinuousClock.now < end {
                try Self.take(&devices, &commands)
            }
            kills += 1
            probe.stop(SIGKILL)
        }
        // One more process publishes the messages that the last process committed, but didn't publish.
        let probe = try Self.probe(broker.port, path, "none", 0)
        while try store.read({ tx in
            try tx.outbox.depth(of: "schedule") + tx.outbox.depth(of: "control")
        }) > 0, ContinuousClock.now < deadline {
            try Self.take(&devices, &commands)
        }
        probe.stop(SIGKILL)
        try Self.take(&devices, &commands)

        try Self.check(store, dueAt, commands)
    }

    // MARK: Preparing

    private static func store(_ path: String) throws -> Store {
        try TestStore.open(place: path)
    }

    /// Creates a schedule for each device, and returns the time at which all schedules are due, a few seconds from now.
    private static func fill(_ store: Store) throws -> Instant {
        let now = SystemClock().now
        let dueAt = Instant(milliseconds: (now.milliseconds / 1000 + 3) * 1000)
        try store.batch(at: now) { (tx) throws in
            try tx.lockAll()
            try tx.products.save(World.product, secret: "s")
            for number in 0..<count {
                let digits = String(number)
                let mac = MAC(trusted: String(repeating: "0", count: 12 - digits.count) + digits)
                let did = World.did(number)
                try tx.devices.create(did, product: World.key, mac: mac)
                try tx.bindings.insert(
                    Binding(did: did, uid: World.uid(0), app: World.app, role: .special, boundAt: now)
                )
                try tx.schedules.save(schedule(number, did, dueAt, now), masked: ["power": true])
            }
            var records: [StatusRecord] = []
            try tx.statuses.load((0..<count).map { World.did($0) }) { records.append($1) }
            for place in records.indices { records[place].status.presence.isOnline = true }
            try tx.statuses.save(reported: [], moved: records.sorted { $0.did < $1.did })
        }
        return dueAt
    }

    private static func schedule(_ number: Int, _ did: DeviceID, _ dueAt: Instant, _ now: Instant) -> Schedule {
        Schedule(
            id: ScheduleID(trusted: "s-\(number)"),
            did: did,
            creator: World.uid(0),
            app: World.app,
            timing: Timing(days: .weekly([1, 2, 3, 4, 5, 6, 7]), time: .clock(0), zone: "UTC"),
            attrs: ["power": true],
            remark: "",
            isEnabled: true,
            misfire: .skip,
            createdAt: now,
            nextAt: dueAt
        )
    }

    private static func probe(_ port: Int, _ path: String, _ step: String, _ passes: Int) throws -> ChildProcess {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appending(path: "CrashProbe").path
        return try ChildProcess(file, ["\(port)", path, step, "\(passes)", "schedule"])
    }

    // MARK: Watching

    private static func listen(_ port: Int) throws -> MosquittoClient {
        let options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: "devices")
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["ll/v1/device/+/command"])
        return client
    }

    private static func take(_ client: inout MosquittoClient, _ commands: inout [String: Set<Int64>]) throws {
        var intake = Intake()
        try client.receive(upTo: 200, linger: .milliseconds(5), wait: .milliseconds(50), into: &intake)
        for delivery in intake.deliveries {
            let object = try JSONValue.parse(intake.bytes[delivery.payload]).objectValue
            guard let cid = object?["cid"]?.intValue else { continue }
            commands[intake.text(delivery.topic), default: []].insert(cid)
        }
        try client.flush()
    }

    private static func check(_ store: Store, _ dueAt: Instant, _ commands: [String: Set<Int64>]) throws {
        let rows = try store.read { tx in
            try tx.sql.query("SELECT scheduleId, dueAt, state, cid FROM scheduleRun") {
                ($0.next(String.self), $0.next(Int64.self), $0.next(String.self), $0.next(Int64.self))
            }
        }
        #expect(rows.count == count)
        #expect(Set(rows.map(\.0)).count == count)
        // No device answers. Therefore, on a slow machine, some commands and their runs can expire before the last
        // kill.
        let states: Set = ["sent", "expired"]
        #expect(rows.allSatisfy { $0.1 == dueAt.milliseconds && $0.3 == 1 })
        #expect(rows.allSatisfy { states.contains($0.2) })
        #expect(try store.read { try $0.sql.integer("SELECT count(*) FROM command") } == Int64(count))
        #expect(commands.count == count)
        #expect(commands.values.allSatisfy { $0 == [1] })
    }
}
