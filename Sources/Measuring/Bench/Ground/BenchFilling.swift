import Domain
import JSON
import Load
import Sodium
import Storage

/// Creates the devices of one product, where each MAC address contains the device's number.
struct DeviceMaker {
    let product: ProductKey
    var ids = IDSource()
    private(set) var count = 0

    init(_ product: ProductKey) { self.product = product }

    /// Creates the next device.
    mutating func make(in tx: Transaction) throws -> DeviceID {
        let did = DeviceID(trusted: ids.make("d", at: tx.now))
        let digits = String(count, radix: 16)
        let zeros = String(repeating: "0", count: 10 - digits.count)
        let mac = "\(product.text.prefix(2))\(zeros)\(digits)"
        try tx.devices.create(did, product: product, mac: MAC(trusted: mac))
        count += 1
        return did
    }
}

extension ProductKey {
    /// Creates the key of a benchmark's product by repeating two hex digits.
    init(bench digits: String) { self.init(trusted: String(repeating: digits, count: 16)) }
}

extension Transaction {
    /// Adds a user of the app `bench`, who is anonymous unless a username is given.
    func addUser(_ uid: String, username: String? = nil, passwordHash: String? = nil) throws -> UserID {
        var user = User(
            uid: UserID(trusted: uid),
            app: BenchSeed.app,
            region: "default",
            countryCode: "1",
            nickname: "bench",
            isAnonymous: username == nil,
            createdAt: now
        )
        (user.username, user.passwordHash) = (username, passwordHash)
        try accounts.insert(user, deviceID: nil)
        return user.uid
    }

    /// Logs an alert of a device; `json` is the alert's event.
    func logAlert(of did: DeviceID, _ json: String) throws {
        let event = LoggedEvent(.deviceAlert, at: now, did: did, product: BenchSeed.product, data: Array(json.utf8))
        try eventLog.append([event])
    }

    /// Binds a device to a user of the app `bench`.
    func bind(_ did: DeviceID, to uid: String, as role: Binding.Role = .special) throws {
        try bindings.insert(Binding(did: did, uid: UserID(trusted: uid), app: BenchSeed.app, role: role, boundAt: now))
    }
}

extension Store {
    private static let rowsAtOnce = 1000
    private static let recordsAtOnce = 20_000

    /// Creates a store that writes no credentials file for the gate.
    ///
    /// - Throws: `LoadError`, or the store's error.
    static func bench(at path: String) throws -> Store {
        guard let key = ServerKey(Sodium.randomBytes(32)) else { throw LoadError.failed("no random key") }
        return try Store(path: path, credentialsPath: nil, key: key)
    }

    /// Calls `body` for each number below `count`, with a thousand calls in each transaction.
    func fill(_ count: Int, at now: Instant, _ body: (Transaction, Int) throws -> Void) throws {
        for start in stride(from: 0, to: count, by: Self.rowsAtOnce) {
            try batch(at: now) { tx in
                try tx.lockAll()
                for number in start..<min(start + Self.rowsAtOnce, count) { try body(tx, number) }
            }
        }
    }

    /// Adds a product and `count` new devices, which are bound to `owner` if it isn't nil.
    func fillDevices(_ count: Int, of product: Product, owner: String? = nil, at now: Instant) throws -> [DeviceID] {
        var maker = DeviceMaker(product.key)
        var dids: [DeviceID] = []
        try batch(at: now) { try $0.products.save(product, secret: "bench") }
        try fill(count, at: now) { tx, _ in
            let did = try maker.make(in: tx)
            if let owner { try tx.bind(did, to: owner) }
            dids.append(did)
        }
        return dids
    }

    /// Writes a device's history as the service does: first to the buffer, and from there to chunks.
    ///
    /// `record` returns the timestamp and the values of the record with the given number.
    /// - Throws: The store's error.
    func fillPast(
        of did: DeviceID,
        records: Int,
        at now: Instant,
        _ record: (Int) -> (milliseconds: Int64, data: JSONObject)
    ) throws {
        for start in stride(from: 0, to: records, by: Self.recordsAtOnce) {
            let made = (start..<min(start + Self.recordsAtOnce, records)).map { number in
                let (milliseconds, data) = record(number)
                return HistoryRecord(did: did, ts: Instant(milliseconds: milliseconds), data: data)
            }
            try batch(at: now) { try $0.history.append(made) }
            try compactHistory(bytesMax: .max, step: 100, at: now)
            if start > 0, start % 1_000_000 == 0 { Benchmarks.tell("\(start) records are written") }
        }
        try checkpoint()
    }
}
