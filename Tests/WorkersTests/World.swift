import Batching
import Domain
import JSON
import Logging
import Mosquitto
import Sodium
import Storage
import StoreTestKit
import Synchronization
import TestKit
import Wire

@testable import Workers

/// A clock that stands still until a test moves it.
final class ManualClock: WallClock {
    private let milliseconds = Mutex<Int64>(1_700_000_000_000)
    /// The number of milliseconds that is added to the wall clock; negative after a test has set the clock back.
    private let offset = Mutex<Int64>(0)

    var now: Instant {
        Instant(milliseconds: milliseconds.withLock(\.self) + offset.withLock(\.self))
    }
    var steady: ContinuousClock.Instant {
        start + .milliseconds(milliseconds.withLock(\.self))
    }
    private let start = ContinuousClock.now

    func set(back seconds: Int64) { offset.withLock { $0 -= seconds * 1000 } }

    func advance(seconds: Int64) { milliseconds.withLock { $0 += seconds * 1000 } }
    func advance(milliseconds count: Int64) { milliseconds.withLock { $0 += count } }
}

/// The environment of a test: a clock, a broker, and a store with one product and one app.
final class World {
    static let key = ProductKey(trusted: String(repeating: "a", count: 32))
    static let app = AppID(trusted: "demo")
    static let topics = Topics()

    let directory: TemporaryDirectory
    let store: Store
    let clock: ManualClock
    let broker = Broker()
    var environment: Environment

    /// Creates another process's `World`, which uses the same database and clock, but serves only the given shards.
    init(
        beside environment: Environment,
        _ clock: ManualClock,
        store: Store,
        shards: Shards
    ) throws {
        directory = try TemporaryDirectory()
        self.store = store
        self.clock = clock
        self.environment = environment
        self.environment.store = store
        self.environment.wakeups = try WorkerWakeups(WorkerName.allCases)
        self.environment.quotas = QuotaFront()
        self.environment.shards = shards
        broker.hasSession = true
    }

    init(limits: Limits = Limits()) throws {
        clock = ManualClock()
        directory = try TemporaryDirectory()
        store = try TestStore.open(directory)
        // By default, the budget for answers is unlimited. A limited budget is not refilled while the clock stands
        // still.
        var limits = limits
        let isUnset = limits.answerBytesPerSecond == Limits().answerBytesPerSecond
        if isUnset { limits.answerBytesPerSecond = 0 }
        limits.confirmedLinger = .zero
        limits.fanOutPause = 0
        limits.echoInterval = .zero
        environment = Environment(
            store: store,
            topics: Self.topics,
            limits: limits,
            clock: clock,
            wakeups: try WorkerWakeups(WorkerName.allCases),
            health: Health(ready: { _ in }, notReady: { _, _ in })
        )
        try write { tx in
            try tx.products.save(Self.product, secret: "product-secret")
            let app = App(id: Self.app, name: "Demo", products: .all)
            try tx.apps.save(app, document: ["appId": "demo", "name": "Demo"], secret: "app-secret")
        }
        broker.hasSession = true
    }

    static let product = Product(
        key: key,
        name: "Lamp",
        dataPoints: [
            DataPoint("power", .bool), DataPoint("level", .int, min: 0, max: 1_000_000),
            DataPoint("temperature", .float, access: .readOnly), DataPoint("pin", .string, access: .writeOnly),
        ],
        alerts: ["hot"],
        faults: ["sensor"]
    )

    /// A variant of `product` that has no data points and whose devices can also report bytes.
    static let freeForm = Product(key: key, name: "Lamp", alerts: ["hot"], faults: ["sensor"])

    /// Runs a transaction that holds all locks.
    func write<Value>(_ body: (Transaction) throws -> Value) throws -> Value {
        try store.batch(at: clock.now) { tx in
            try tx.lockAll()
            return try body(tx)
        }
    }

    func read<Value>(_ body: (Transaction) throws -> Value) throws -> Value { try store.read(body) }

    /// Runs a unit of work, and returns its effects without carrying them out.
    func work<Value>(_ body: (inout UnitOfWork) throws -> Value) throws -> (value: Value, effects: Effects) {
        try store.batch(at: clock.now) { (tx) throws in
            var work = UnitOfWork(tx, topics: Self.topics, limits: environment.limits)
            return (try body(&work), work.effects)
        }
    }

    // MARK: Fixtures

    static func did(_ number: Int) -> DeviceID {
        let digits = String(number)
        return DeviceID(trusted: "d-" + String(repeating: "0", count: 13 - digits.count) + digits)
    }

    static func uid(_ number: Int) -> UserID { UserID(trusted: "u-\(number)") }

    static func terminal(_ number: Int) -> TerminalID {
        let digits = String(number)
        return TerminalID(trusted: String(repeating: "0", count: 32 - digits.count) + digits)
    }

    static func token(_ number: Int) -> String { "token-\(number)" }

    static func passcode(_ number: Int) -> String { "passcode-\(number)" }

    /// Creates `count` devices, which are numbered from 0, each with a passcode.
    func makeDevices(_ count: Int, online: Bool = false) throws {
        try write { (tx) throws in
            for number in 0..<count {
                let did = Self.did(number)
                let digits = String(number)
                let mac = MAC(trusted: String(repeating: "0", count: 12 - digits.count) + digits)
                try tx.devices.create(did, product: Self.key, mac: mac)
                try tx.devices.update(did, passcode: Self.passcode(number), hardware: nil)
            }
        }
        guard online else { return }
        for number in 0..<count { try setOnline(number, true) }
    }

    func setOnline(_ number: Int, _ isOnline: Bool) throws {
        try write { (tx) throws in
            guard var record = try tx.statuses.find(Self.did(number)) else { return }
            record.status.presence.isOnline = isOnline
            record.status.presence.isAlive = isOnline
            record.status.presence.connection += 1
            try tx.statuses.save(reported: [], moved: [record])
        }
    }

    /// Creates `count` users, numbered from 0, each with a session on the terminal of the same number.
    func makeUsers(_ count: Int) throws {
        try write { (tx) throws in
            for number in 0..<count {
                let user = User(
                    uid: Self.uid(number),
                    app: Self.app,
                    region: "default",
                    countryCode: "49",
                    nickname: "n",
                    isAnonymous: true,
                    createdAt: tx.now
                )
                try tx.accounts.insert(user, deviceID: nil)
                try tx.sessions.begin(Self.session(number, since: tx.now), token: Self.token(number))
            }
        }
    }

    static func session(_ number: Int, since now: Instant, id: String? = nil) -> Session {
        Session(
            id: SessionID(trusted: id ?? "s-\(number)"),
            uid: uid(number),
            app: app,
            terminal: terminal(number),
            platform: "test",
            os: "",
            name: "",
            loginTime: now,
            expiresAt: now.adding(seconds: 100_000)
        )
    }

    func bind(_ device: Int, _ user: Int, _ role: Binding.Role = .special) throws {
        try write { (tx) throws in
            try tx.bindings.insert(
                Binding(did: Self.did(device), uid: Self.uid(user), app: Self.app, role: role, boundAt: tx.now)
            )
        }
    }

    func status(_ device: Int) throws -> Status? { try read { try $0.statuses.find(Self.did(device)) }?.status }

    func historyCount(_ device: Int) throws -> Int64 { try read { try $0.history.count(Self.did(device)) } }

    func count(_ table: String) throws -> Int64 {
        try read { try $0.sql.integer("SELECT count(*) FROM \(table)") } ?? 0
    }

    // MARK: Topics

    static func report(_ device: Int) -> String { "ll/v1/device/\(did(device).text)/report" }
    static func response(_ device: Int) -> String { "ll/v1/device/\(did(device).text)/response" }
    static func command(_ device: Int) -> String { "ll/v1/device/\(did(device).text)/command" }
    static func statusTopic(_ user: Int, _ device: Int) -> String {
        "ll/v1/user/\(uid(user).text)/device/\(did(device).text)/status"
    }
    static func requestTopic(_ user: Int, _ method: String) -> String {
        "ll/v1/app/demo/\(terminal(user).text)/request/\(method)"
    }
    static func answerTopic(_ user: Int) -> String { "ll/v1/app/demo/\(terminal(user).text)/response" }

    func sendReport(_ device: Int, _ payload: JSONObject) { broker.send(Self.report(device), payload) }

    func sendRequest(_ user: Int, _ method: String, id: String, token: String? = nil, _ params: JSONObject = [:]) {
        broker.send(
            Self.requestTopic(user, method),
            ["id": .string(id), "token": .string(token ?? Self.token(user)), "params": .object(params)]
        )
    }
}

extension JSONObject {
    /// The error code of an answer, or nil if the answer is not a refusal.
    var errorCode: String? { self["error"]?.objectValue?["code"]?.stringValue }
    /// The parameter that a refusal names, or nil if the answer names no parameter.
    var errorField: String? { self["error"]?.objectValue?["field"]?.stringValue }
    var isOK: Bool { self["ok"] == true }
}
