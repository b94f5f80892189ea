import Domain
import JSON
import Load
import Providers
import Sodium
import Storage

/// The content of the store of `bench abuse` and `bench overload`: honest users and devices, and secrets that
/// attackers extracted from an app and a firmware.
struct AbuseSeed {
    /// An account on two terminals: its owner's and an intruder's.
    struct Account {
        var owner: LoadTerminal
        var intruder: LoadTerminal
    }

    /// Users with a terminal and devices each, and users with a password.
    let honest: BenchSeed
    private(set) var accounts: [Account] = []
    /// Devices and terminals that are in hostile hands, with all their secrets.
    private(set) var devices: [LoadDevice] = []
    private(set) var terminals: [LoadTerminal] = []
    /// The key of the product whose firmware was read: any device may register, and report any data.
    let productKey = String(repeating: "ab", count: 16)
    let productSecret = Sodium.randomSecret()

    static let newPassword = "eight lamps in a row"

    private static let app = AppID(trusted: "bench")
    private var ids = IDSource()

    /// Fills the store.
    ///
    /// - Throws: What the store throws.
    init(_ store: Store, devices: Int, logins: Int) throws {
        honest = try BenchSeed(
            store,
            devices: devices,
            terminals: 10,
            stored: 0,
            logins: logins
        )
        try store.batch(at: Instant(milliseconds: LoadClock.milliseconds)) { tx in
            try tx.lockAll()
            let key = ProductKey(trusted: productKey)
            try tx.products.save(Product(key: key, name: "Read out"), secret: productSecret)
            let hash = try PasswordHasher().hash(Array(BenchSeed.password.utf8))
            for number in 0..<64 {
                let user = try addUser(tx, "owner-\(number)", hash: hash)
                let owner = try BenchSeed.logIn(user, &ids, in: tx)
                let intruder = try BenchSeed.logIn(user, &ids, in: tx)
                accounts.append(Account(owner: owner, intruder: intruder))
            }
            for number in 0..<64 { self.devices.append(try addDevice(tx, key, number: number)) }
            for _ in 0..<200 {
                let user = try addUser(tx, nil, hash: nil)
                self.terminals.append(try BenchSeed.logIn(user, &ids, in: tx))
            }
        }
    }

    private mutating func addUser(
        _ tx: Transaction,
        _ name: String?,
        hash: String?
    ) throws -> UserID {
        var user = User(
            uid: UserID(trusted: ids.make("u", at: tx.now)),
            app: Self.app,
            region: "default",
            countryCode: "1",
            nickname: "bench",
            isAnonymous: name == nil,
            createdAt: tx.now
        )
        user.username = name
        user.passwordHash = hash
        try tx.accounts.insert(user, deviceID: nil)
        return user.uid
    }

    private mutating func addDevice(
        _ tx: Transaction,
        _ key: ProductKey,
        number: Int
    ) throws -> LoadDevice {
        let did = DeviceID(trusted: ids.make("d", at: tx.now))
        let secret = Sodium.randomSecret()
        let mac = "ac" + String(repeating: "0", count: 6) + "\(1000 + number)"
        try tx.devices.create(did, product: key, mac: MAC(trusted: mac))
        try tx.devices.setIdentity(
            did,
            secret: secret,
            passcode: "bench-passcode",
            hardware: JSONObject()
        )
        return LoadDevice(did: did.text, secret: secret)
    }
}
