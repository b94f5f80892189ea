import Domain
import JSON
import Mosquitto
import Storage
import StoreTestKit
import TestKit
import Testing
import Wire

@testable import Workers

/// Tests that simulate random reports, bindings, commands and answers of devices and users.
///
/// Reports can be repeated or arrive out of order, and connections and transactions can fail.
@Suite("Random faults in random order")
struct SimulationTests {
    // On PostgreSQL, fewer runs are made, because it takes long to create a database for each run. The Storage tests
    // also check the same rules on PostgreSQL.
    @Test("The guarantees hold", arguments: 0..<(TestStore.isPostgres ? 20 : 200))
    func simulation(_ seed: Int) throws {
        var simulation = try Simulation(seed)
        for _ in 0..<25 { try simulation.step() }
        try simulation.finish()
    }
}

/// One run of the simulation; the seed determines the run completely.
private struct Simulation {
    private static let deviceCount = 3
    private static let userCount = 3

    /// A device's expected state, computed from its reports more simply than in the service.
    private struct Reference {
        var values: [String: (value: Int64, ts: Int64)] = [:]
        var version: Int64 = 0
        var taken: Set<String> = []
        var history: Int64 = 0
    }

    private var random: Seed
    private let world: World
    private var references = Array(repeating: Reference(), count: deviceCount)
    private var sent: [(device: Int, payload: JSONObject)] = []
    private var asked: [Int: Set<String>] = [:]
    private var lastID = 0
    private var isCalm = false
    private let interruption = Interruption()

    init(_ seed: Int) throws {
        random = Seed(seed)
        var limits = Limits()
        limits.batchMax = Int.random(in: 1...6, using: &random)
        limits.outboxPage = Int.random(in: 1...4, using: &random)
        limits.backlogMax = Int.random(in: 2...40, using: &random)
        limits.sendMaximum = UInt16.random(in: 1...10, using: &random)
        limits.refreshPage = Int.random(in: 1...3, using: &random)
        world = try World(limits: limits)
        try world.makeDevices(Self.deviceCount, online: true)
        try world.makeUsers(Self.userCount)
        for device in 0..<Self.deviceCount { try world.bind(device, 0) }
    }

    // MARK: Events

    mutating func step() throws {
        for _ in 0..<Int.random(in: 0...4, using: &random) { try report() }
        for _ in 0..<Int.random(in: 0...2, using: &random) { request() }
        if Bool.random(using: &random) { answerCommand() }
        if Int.random(in: 0..<3, using: &random) == 0 { presence() }
        if Int.random(in: 0..<25, using: &random) == 0 {
            world.broker.hasSession = false
        }
        world.clock.advance(milliseconds: .random(in: 0...3000, using: &random))
        try live { StatusHandler($0) }
        try live { ControlHandler($0) }
    }

    /// Sends a new report or, with a probability of 1/4, repeats an earlier report.
    private mutating func report() throws {
        if let old = sent.randomElement(using: &random), Int.random(in: 0..<4, using: &random) == 0 {
            return world.sendReport(old.device, old.payload)
        }
        let device = Int.random(in: 0..<Self.deviceCount, using: &random)
        lastID += 1
        let ts = world.clock.now.milliseconds + .random(in: -5000...0, using: &random)
        let payload: JSONObject = [
            "id": .string("r\(lastID)"), "ts": .integer(ts),
            "data": [
                "level": .integer(.random(in: 0...5, using: &random)),
                "temperature": Bool.random(using: &random) ? .integer(.random(in: 0...3, using: &random)) : .null,
            ],
        ]
        sent.append((device, payload))
        world.sendReport(device, payload)
    }

    private mutating func request() {
        let user = Int.random(in: 0..<Self.userCount, using: &random)
        let device = Int.random(in: 0..<Self.deviceCount, using: &random)
        let did = JSONValue.string(World.did(device).text)
        lastID += 1
        let id = "q\(lastID)"
        let method: String
        let params: JSONObject
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2: (method, params) = ("device/bind", ["did": did, "passcode": .string(World.passcode(device))])
        case 3: (method, params) = ("device/unbind", ["did": did])
        case 4: (method, params) = ("device/subscribe", ["did": did, "subscribed": .bool(.random(using: &random))])
        default:
            (method, params) = (
                "device/control",
                [
                    "did": did, "data": ["power": true], "ttl": .integer(.random(in: 1...10, using: &random)),
                    "wait": .bool(.random(using: &random)),
                ]
            )
        }
        asked[user, default: []].insert(id)
        for _ in 0..<Int.random(in: 1...2, using: &random) { world.sendRequest(user, method, id: id, params) }
    }

    private mutating func answerCommand() {
        let device = Int.random(in: 0..<Self.deviceCount, using: &random)
        let commands = world.broker.published(to: World.command(device))
        guard let cid = commands.suffix(3).randomElement(using: &random)?["cid"] else { return }
        lastID += 1
        let payload: JSONObject = [
            "id": .string("a\(lastID)"), "cid": cid, "code": .integer(.random(in: 0...1, using: &random)),
        ]
        sent.append((device, payload))
        world.sendReport(device, payload)
    }

    private mutating func presence() {
        let device = Int.random(in: 0..<Self.deviceCount, using: &random)
        world.broker.send(
            "ll/v1/system/presence/\(World.did(device).text)",
            [
                "online": .bool(Int.random(in: 0..<4, using: &random) > 0), "ts": 1,
                "connection": .integer(Int64(lastID) + .random(in: 0...6, using: &random)),
            ]
        )
    }

    // MARK: Failing workers

    private mutating func live<Handler: BatchHandler>(_ make: (Environment) -> Handler) throws {
        let handler = make(world.environment)
        let subscriptions = handler.role.subscriptions
        let waiting = world.broker.waitingFor(subscriptions.new + subscriptions.swept)
        defer { world.broker.put(back: waiting) }
        plan()
        for _ in 0..<10 {
            do {
                var loop = try world.loop(Interrupting(inner: make(world.environment), interruption: interruption))
                try world.settle(&loop)
                break
            } catch let error where error is MosquittoError || error is CancellationError {
                // The worker starts again, and fails again at random.
                plan()
            }
        }
        (world.broker.failure, interruption.point) = (nil, nil)
        try check()
    }

    private mutating func plan() {
        (world.broker.failure, interruption.point) = (nil, nil)
        guard !isCalm else { return }
        world.broker.leaks = Bool.random(using: &random)
        switch Int.random(in: 0..<14, using: &random) {
        case 0: world.broker.failure = .receive
        case 1: world.broker.failure = .publish(after: .random(in: 0...5, using: &random))
        case 2: world.broker.failure = .beforeFlush
        case 3: world.broker.failure = .afterFlush
        case 4: interruption.point = .before
        case 5: interruption.point = .after
        default: break
        }
        interruption.passes = Int.random(in: 0...2, using: &random)
    }

    // MARK: Guarantees

    private mutating func check() throws {
        for device in 0..<Self.deviceCount {
            let cids = world.broker.published(to: World.command(device)).compactMap { $0["cid"]?.intValue }
            // A newer command is never sent before an older one.
            var heard: Set<Int64> = []
            let first = cids.filter { heard.insert($0).inserted }
            #expect(first == first.sorted())
            // If a newer command was sent, older unsent commands are in a final state. For example, an older command
            // expired before the device listened.
            let left = try world.read { tx in
                try tx.commands.newest(World.did(device), limit: 1000)
                    .filter { $0.cid < first.last ?? 0 && !heard.contains($0.cid) }
            }
            #expect(left.allSatisfy { $0.state.isFinal })
        }
        #expect(try world.count("deadLetter") == 0)
    }

    /// Checks that the final state is the same as if no failure had occurred.
    mutating func finish() throws {
        isCalm = true
        world.clock.advance(seconds: 60)
        for _ in 0..<3 {
            try live { StatusHandler($0) }
            try live { ControlHandler($0) }
        }
        try checkReports()
        try checkStatuses()
        try checkRequests()
        let open = try world.read {
            try $0.sql.integer("SELECT count(*) FROM command WHERE state IN ('queued', 'sent')")
        }
        #expect(open == 0)
        #expect(try world.count("outbox") == 0)
        #expect(try world.count("waiter") == 0)
        #expect(world.broker.unacknowledged == 0)
    }

    /// Checks that each device's state follows from its reports, whatever their order.
    private mutating func checkReports() throws {
        for (device, payload) in sent {
            guard let id = payload["id"]?.stringValue, let data = payload["data"]?.objectValue,
                let ts = payload["ts"]?.intValue, references[device].taken.insert(id).inserted
            else { continue }
            references[device].history += 1
            for member in data.members {
                guard let value = member.value.intValue else { continue }
                let known = references[device].values[member.key]
                if known.map({ ts >= $0.ts }) ?? true { references[device].values[member.key] = (value, ts) }
            }
        }
        for device in 0..<Self.deviceCount {
            let status = try #require(try world.status(device))
            #expect(try world.historyCount(device) == references[device].history)
            for attribute in status.attributes {
                let wanted = references[device].values[attribute.name]
                #expect(attribute.ts.milliseconds == wanted?.ts)
                #expect(attribute.value.intValue == wanted?.value)
            }
            #expect(status.attributes.count == references[device].values.count)
            let ids = sent.filter { $0.device == device }.compactMap { $0.payload["id"]?.stringValue }
            let answers = world.broker.published(to: World.response(device))
            #expect(Set(answers.compactMap { $0["id"]?.stringValue }) == Set(ids))
            let byID = Dictionary(grouping: answers) { $0["id"]?.stringValue }
            for same in byID.values {
                let first = same.filter { $0["stored"] != "repeat" }
                #expect(same.allSatisfy { $0.isOK && $0["version"] == first.first?["version"] })
                #expect(first.allSatisfy { $0 == first.first })
            }
        }
    }

    /// Checks that the broker retains exactly the stored statuses, for exactly the permitted users.
    private func checkStatuses() throws {
        for device in 0..<Self.deviceCount {
            let status = try #require(try world.status(device))
            var subscribers: Set<UserID> = []
            try world.read { tx in
                try tx.bindings.subscribers(of: [World.did(device)]) { _, uid, _ in subscribers.insert(uid) }
            }
            for user in 0..<Self.userCount {
                let topic = World.statusTopic(user, device)
                let kept = world.broker.retained[topic]
                guard subscribers.contains(World.uid(user)) else {
                    #expect(kept == nil)
                    continue
                }
                let object = try kept.flatMap { try JSONValue.parse($0).objectValue }
                #expect(object?["version"]?.intValue == status.version)
                #expect(object?["online"]?.boolValue == status.presence.isOnline)
                let data = JSONObject(members: status.attributes.map { .init(key: $0.name, value: $0.value) })
                #expect(object?["data"]?.objectValue == data)
            }
        }
    }

    private func checkRequests() throws {
        for (user, ids) in asked {
            let answers = world.answers(user)
            #expect(Set(answers.compactMap { $0["id"]?.stringValue }) == ids)
            for same in Dictionary(grouping: answers, by: { $0["id"]?.stringValue }).values {
                // If a refused request is repeated, it can succeed. All successful answers to the same request are
                // equal.
                let done = same.filter { $0.isOK }
                #expect(done.allSatisfy { $0 == done.first })
            }
        }
    }
}
