import Domain
import JSON
import Load
import Providers
import Sodium
import Storage
import Workers

/// Fills a benchmark's store with a product, an app, users with a terminal each, and devices.
struct BenchSeed {
    /// The unbound devices; `bound` holds devices bound to one user each.
    private(set) var unbound: [LoadDevice] = []
    private(set) var bound: [LoadDevice] = []
    private(set) var terminals: [LoadTerminal] = []
    /// The terminals without a session, each for a user `bench-N` with `password`.
    private(set) var loggedOut: [LoadTerminal] = []
    /// The app's secret.
    let appSecret = Sodium.randomSecret()
    /// The password of all users with one.
    static let password = "seven lamps in a row"

    private static let product = ProductKey(trusted: String(repeating: "be", count: 16))
    private static let app = AppID(trusted: "bench")
    private static let chunk = 1000

    private var ids = IDSource()
    private var count = 0

    /// Fills the store; of `stored` devices in all, twice `devices` have a known secret.
    ///
    /// - Throws: The store's error.
    init(_ store: Store, devices: Int, terminals: Int, stored: Int, logins: Int = 0) throws {
        let now = Instant(milliseconds: LoadClock.milliseconds)
        try store.batch(at: now) { transaction in
            try transaction.lockAll()
            try transaction.products.save(Self.document, secret: Sodium.randomSecret())
            let app = App(id: Self.app, name: "Bench", products: .all)
            try transaction.apps.save(
                app,
                document: [
                    "appId": .string(app.id.text), "name": "Bench", "products": "all",
                    "policies": ["phoneRegistration": true],
                ],
                secret: appSecret
            )
            for _ in 0..<terminals { try addTerminal(transaction) }
            let hash = try PasswordHasher().hash(Array(Self.password.utf8))
            for number in 0..<logins { try addUser(transaction, number, passwordHash: hash) }
        }
        while count < max(stored, 2 * devices) {
            try store.batch(at: now) { transaction in
                try transaction.lockAll()
                for _ in 0..<min(Self.chunk, max(stored, 2 * devices) - count) {
                    try addDevice(transaction, devices)
                }
            }
        }
    }

    private static var document: Product {
        Product(
            key: product,
            name: "Bench sensor",
            dataPoints: [
                DataPoint("sequence", .int, min: 0, max: 1e15),
                DataPoint("temperature", .float, access: .readOnly, min: -40, max: 125),
                DataPoint("switchedOn", .bool),
            ]
        )
    }

    private mutating func addTerminal(_ transaction: Transaction) throws {
        let uid = UserID(trusted: ids.make("u", at: transaction.now))
        try transaction.accounts.insert(
            User(
                uid: uid,
                app: Self.app,
                region: "default",
                countryCode: "1",
                nickname: "bench",
                isAnonymous: true,
                createdAt: transaction.now
            ),
            deviceID: nil
        )
        terminals.append(try Self.logIn(uid, &ids, in: transaction))
    }

    /// Begins a session of a user on a new terminal of the app.
    private static func logIn(
        _ uid: UserID,
        _ ids: inout IDSource,
        in transaction: Transaction
    ) throws -> LoadTerminal {
        let terminal = TerminalID(trusted: RandomHex.digits(bytes: 16))
        let token = Sodium.randomSecret()
        let session = Session(
            id: SessionID(trusted: ids.make("s", at: transaction.now)),
            uid: uid,
            app: app,
            terminal: terminal,
            platform: "bench",
            os: "",
            name: "",
            loginTime: transaction.now,
            expiresAt: transaction.now.adding(seconds: Limits().sessionSeconds)
        )
        try transaction.sessions.begin(session, token: token)
        return LoadTerminal(
            appID: app.text,
            terminalID: terminal.text,
            token: token,
            uid: uid.text
        )
    }

    private mutating func addUser(
        _ transaction: Transaction,
        _ number: Int,
        passwordHash: String
    ) throws {
        var user = User(
            uid: UserID(trusted: ids.make("u", at: transaction.now)),
            app: Self.app,
            region: "default",
            countryCode: "1",
            nickname: "bench",
            isAnonymous: false,
            createdAt: transaction.now
        )
        user.username = "bench-\(number)"
        user.passwordHash = passwordHash
        try transaction.accounts.insert(user, deviceID: nil)
        loggedOut.append(
            LoadTerminal(
                appID: Self.app.text,
                terminalID: RandomHex.digits(bytes: 16),
                token: "",
                uid: user.uid.text
            )
        )
    }

    private mutating func addDevice(_ transaction: Transaction, _ devices: Int) throws {
        let did = DeviceID(trusted: ids.make("d", at: transaction.now))
        let secret = Sodium.randomSecret()
        try transaction.devices.create(did, product: Self.product, mac: MAC(trusted: macText))
        try transaction.devices.setIdentity(
            did,
            secret: secret,
            passcode: "bench-passcode",
            hardware: JSONObject()
        )
        let device = LoadDevice(did: did.text, secret: secret)
        if count < devices {
            unbound.append(device)
        } else if count < 2 * devices {
            let user = terminals[count % terminals.count].uid
            try transaction.bindings.insert(
                Binding(
                    did: did,
                    uid: UserID(trusted: user),
                    app: Self.app,
                    role: .special,
                    boundAt: transaction.now
                )
            )
            bound.append(device)
        }
        count += 1
    }

    private var macText: String {
        let digits = String(count, radix: 16)
        return "be" + String(repeating: "0", count: 10 - digits.count) + digits
    }
}
