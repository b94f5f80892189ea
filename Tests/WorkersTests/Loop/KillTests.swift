import Domain
import Foundation
import JSON
import Mosquitto
import Storage
import StoreTestKit
import TestKit
import Testing
import Wire
import Workers

/// Tests that kill a worker's process at each step, with a real broker.
///
/// With `LAMPLIGHTER_LONG=1`, the tests kill the process far more often.
@Suite("Killed at any step", .serialized, .enabled(if: BrokerProcess.isInstalled))
struct KillTests {
    private static let isLong = ProcessInfo.processInfo.environment["LAMPLIGHTER_LONG"] == "1"
    private static let steps = ["read", "inTransaction", "beforeCommit", "committed", "published", "flushed"]
    private static let passes = isLong ? Array(0..<15) : [0, 2, 5]
    private static let reportCount = isLong ? 300 : 120
    private static let deviceCount = 3

    @Test(
        "No answered report is lost or doubled, and no user sees a status go back",
        .endsInTime,
        arguments: steps,
        passes
    )
    func kill(_ step: String, _ passes: Int) throws {
        let broker = try BrokerProcess()
        let directory = try TemporaryDirectory()
        let path = try TestStore.place(in: directory)
        try Self.fill(path)
        var client = try Self.connect(broker.port)
        // The broker must know the worker's MQTT session before any message is published.
        do {
            let probe = try Self.probe(broker.port, path, "none", 0)
            #expect(probe.nextLine() == "ready")
            probe.stop(SIGKILL)
        }

        var seen = Seen()
        var sent = 0
        var kills = 0
        let deadline = ContinuousClock.now.advanced(by: .seconds(Self.isLong ? 120 : 30))
        while seen.answers.count < Self.reportCount, ContinuousClock.now < deadline {
            // Each killed process completes a part of the work. The last process isn't killed, and completes the rest.
            let isLast = kills >= (Self.isLong ? 10 : 3)
            let probe = try Self.probe(broker.port, path, isLast ? "none" : step, passes)
            while probe.isRunning, seen.answers.count < Self.reportCount, ContinuousClock.now < deadline {
                // The reports are sent ten at a time, so the worker needs many turns. The worker can be killed in each
                // turn.
                if sent < Self.reportCount, sent == seen.answers.count {
                    for number in sent..<(sent + 10) { try Self.report(number, &client) }
                    sent += 10
                }
                try seen.take(&client)
            }
            // A process without work never reaches the step at which it would be killed.
            if !probe.isRunning { kills += 1 }
            probe.stop(SIGKILL)
        }
        #expect(kills > 0)
        let probe = try Self.probe(broker.port, path, "none", 0)
        while !seen.isComplete(Self.deviceCount, Self.perDevice), ContinuousClock.now < deadline {
            try seen.take(&client)
        }
        probe.stop(SIGKILL)

        try Self.check(path, seen)
    }

    private static var perDevice: Int { reportCount / deviceCount }

    // MARK: Preparing

    private static func store(_ path: String) throws -> Store {
        try TestStore.open(place: path)
    }

    private static func fill(_ path: String) throws {
        let store = try store(path)
        let now = SystemClock().now
        try store.batch(at: now) { (tx) throws in
            try tx.lockAll()
            try tx.products.save(World.product, secret: "s")
            for device in 0..<deviceCount {
                let mac = MAC(trusted: "00000000000\(device)")
                try tx.devices.create(World.did(device), product: World.key, mac: mac)
                try tx.bindings.insert(
                    Binding(did: World.did(device), uid: World.uid(0), app: World.app, role: .special, boundAt: now)
                )
            }
        }
        try store.checkpoint()
    }

    private static func connect(_ port: Int) throws -> MosquittoClient {
        let options = ConnectionOptions(host: "127.0.0.1", port: port, clientID: "devices-and-app")
        var client = try MosquittoClient(options, waker: Waker())
        _ = try client.connect()
        try client.subscribe(["ll/v1/device/+/response", "ll/v1/user/+/device/+/status"])
        return client
    }

    private static func probe(_ port: Int, _ path: String, _ step: String, _ passes: Int) throws -> ChildProcess {
        let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let file = URL(fileURLWithPath: tests).deletingLastPathComponent()
            .appending(path: "CrashProbe").path
        return try ChildProcess(file, ["\(port)", path, step, "\(passes)"])
    }

    private static func report(_ number: Int, _ client: inout MosquittoClient) throws {
        let payload: JSONObject = ["id": .string("r\(number)"), "data": ["level": .integer(Int64(number))]]
        _ = try client.publish(
            topic: World.report(number % deviceCount),
            payload: payload.encoded(),
            quality: .atLeastOnce
        )
        try client.flush()
    }

    // MARK: Watching

    /// The messages that the devices and the app have received so far.
    private struct Seen {
        var answers: [String: Set<Int64>] = [:]
        /// For each topic, the versions of the received statuses in the order of receipt.
        var versions: [String: [Int64]] = [:]
        private var intake = Intake()

        mutating func take(_ client: inout MosquittoClient) throws {
            try client.receive(upTo: 200, linger: .milliseconds(5), wait: .milliseconds(50), into: &intake)
            for delivery in intake.deliveries {
                let topic = intake.text(delivery.topic)
                guard
                    let object = try JSONValue.parse(intake.bytes[delivery.payload]).objectValue,
                    let version = object["version"]?.intValue
                else { continue }
                if let id = object["id"]?.stringValue {
                    answers[id, default: []].insert(version)
                } else {
                    versions[topic, default: []].append(version)
                }
            }
            try client.flush()
        }

        func isComplete(_ devices: Int, _ versionsEach: Int) -> Bool {
            versions.count == devices && versions.values.allSatisfy { $0.last == Int64(versionsEach) }
        }
    }

    private static func check(_ path: String, _ seen: Seen) throws {
        #expect(seen.answers.count == reportCount)
        // If a report had taken effect twice, its answers would contain two different versions.
        #expect(seen.answers.values.allSatisfy { $0.count == 1 })
        let store = try store(path)
        for device in 0..<deviceCount {
            let did = World.did(device)
            let rows = try store.read { tx in try tx.history.newest(did, until: .max, limit: perDevice + 1) }
            let levels = rows.compactMap { $0.data?["level"]?.intValue }.sorted()
            let wanted = (0..<reportCount).filter { $0 % deviceCount == device }.map { Int64($0) }
            #expect(levels == wanted)
            let status = try store.read { try $0.statuses.find(did) }?.status
            #expect(status?.version == Int64(perDevice))
            let topic = World.statusTopic(0, device)
            let versions = seen.versions[topic] ?? []
            #expect(versions == versions.sorted() && versions.last == Int64(perDevice))
        }
    }
}
