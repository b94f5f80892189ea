import Domain
import JSON
import Load
import Providers
import Sodium
import Storage
import Workers

/// Fills a benchmark's store with a product, an app, devices, users and terminals.
struct BenchSeed {
    /// The devices that aren't bound to any user.
    private(set) var unbound: [LoadDevice] = []
    /// The devices that are each bound to one user.
    private(set) var bound: [LoadDevice] = []
    private(set) var terminals: [LoadTerminal] = []
    /// The ids of the bound devices.
    var boundIDs: [DeviceID] { bound.map { DeviceID(trusted: $0.did) } }
    /// The terminals that have no session yet: one for each user `bench-N`, who can log in with a password.
    private(set) var loggedOut: [LoadTerminal] = []
    /// The secret of the benchmark's app.
    let appSecret = Sodium.randomSecret()
    /// The password of all users who have a password.
    static let password = "seven lamps in a row"

    /// The app that all users belong to.
    static let app = AppID(trusted: "bench")

    /// The product of all devices, and the alert that the devices can raise.
    static let (product, alert) = (ProductKey(bench: "be"), "overheated")

    private var maker = DeviceMaker(Self.product)

    /// Adds `devices` unbound devices, `devices` bound devices, and further devices until the store has `stored`
    /// devices.
    ///
    /// The store gets all unbound and bound devices, even if `stored` is less than their number.
    ///
    /// - Throws: The store's error.
    init(_ store: Store, devices: Int, terminals: Int, stored: Int, logins: Int = 0) throws {
        let now = SystemClock().now
        try store.batch(at: now) { tx in
            try tx.lockAll()
            try tx.products.save(document, secret: Sodium.randomSecret())
            try tx.apps.save(
                App(id: Self.app, name: "Bench", products: .all),
                document: [
                    "appId": .string(Self.app.text), "name": "Bench", "products": "all",
                    "policies": ["phoneRegistration": true],
                ],
                secret: appSecret
            )
            for _ in 0..<terminals { try logIn(tx.addUser(maker.ids.make("u", at: now)), in: tx) }
            let hash = try PasswordHasher().hash(Array(Self.password.utf8))
            for number in 0..<logins {
                let id = maker.ids.make("u", at: now)
                let uid = try tx.addUser(id, username: "bench-\(number)", passwordHash: hash)
                loggedOut.append(Self.terminal(of: uid, token: ""))
            }
        }
        try store.fill(max(stored, 2 * devices), at: now) { tx, number in try addDevice(number, of: devices, in: tx) }
    }

    private var document: Product {
        Product(
            key: maker.product,
            name: "Bench sensor",
            dataPoints: [
                DataPoint("sequence", .int, min: 0, max: 1e15),
                DataPoint("temperature", .float, access: .readOnly, min: -40, max: 125), DataPoint("switchedOn", .bool),
            ],
            alerts: [Self.alert]
        )
    }

    private static func terminal(of uid: UserID, token: String) -> LoadTerminal {
        LoadTerminal(appID: app.text, terminalID: RandomHex.digits(bytes: 16), token: token, uid: uid.text)
    }

    private mutating func logIn(_ uid: UserID, in tx: Transaction) throws {
        let terminal = Self.terminal(of: uid, token: Sodium.randomSecret())
        let session = Session(
            id: SessionID(trusted: maker.ids.make("s", at: tx.now)),
            uid: uid,
            app: Self.app,
            terminal: TerminalID(trusted: terminal.terminalID),
            platform: "bench",
            os: "",
            name: "",
            loginTime: tx.now,
            expiresAt: tx.now.adding(seconds: Limits().sessionSeconds)
        )
        try tx.sessions.begin(session, token: terminal.token)
        terminals.append(terminal)
    }

    /// Adds device `number` to the store: an unbound device, a bound device, or a device that only fills the store.
    ///
    /// Devices with numbers below `devices` are unbound. Devices with numbers from `devices` to `2 * devices - 1` are
    /// bound. All further devices only fill the store.
    private mutating func addDevice(_ number: Int, of devices: Int, in tx: Transaction) throws {
        let did = try maker.make(in: tx)
        let secret = Sodium.randomSecret()
        try tx.devices.setIdentity(did, secret: secret, passcode: "bench-passcode", hardware: JSONObject())
        let device = LoadDevice(did: did.text, secret: secret)
        if number < devices {
            unbound.append(device)
        } else if number < 2 * devices {
            try tx.bind(did, to: terminals[number % terminals.count].uid)
            bound.append(device)
        }
    }
}
