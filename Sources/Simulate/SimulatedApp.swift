import JSON
import Load

/// A simulated user with an app: logs in, binds the devices, and sees what they report.
struct SimulatedApp {
    enum Phase {
        case waiting
        /// Connected with the app's secret, waiting for a session.
        case loggingIn
        /// Connected with the session's token.
        case loggedIn
    }

    let app: SimulateOptions.App
    let terminalID = RandomHex.digits(bytes: 16)
    var phase = Phase.waiting
    private(set) var uid: String?
    private(set) var token: String?
    private var requests = 0
    private var bound: Set<String> = []

    init(app: SimulateOptions.App) { self.app = app }

    var login: MQTTWriter.Login {
        .init(
            clientID: terminalID,
            username: "app:\(app.appID)",
            password: token ?? app.secret
        )
    }

    func space(_ root: String) -> String { "\(root)/app/\(app.appID)/\(terminalID)" }

    /// Returns the topics to subscribe to; those of the user need a session.
    func filters(_ root: String) -> [String] {
        [space(root) + "/response"] + (uid.map { ["\(root)/user/\($0)/#"] } ?? [])
    }

    /// Returns the request for a session of a fresh user.
    mutating func loginRequest() -> [UInt8] { request(["countryCode": "1"]) }

    /// Returns the request that binds a device, once for each.
    mutating func bindRequest(_ device: SimulatedDevice, productKey: String) -> [UInt8]? {
        guard device.did != nil, bound.insert(device.mac).inserted else { return nil }
        return request([
            "productKey": .string(productKey), "mac": .string(device.mac),
            "passcode": .string(device.passcode),
        ])
    }

    /// Returns the request that switches a device.
    mutating func controlRequest(_ did: String, _ data: JSONObject) -> [UInt8] {
        request(["did": .string(did), "data": .object(data)])
    }

    /// When the next command is due, in milliseconds; after the first binding.
    var nextCommandAt: Int64?
    /// The devices that are bound.
    private(set) var dids: [String] = []

    /// Notes that a device is bound.
    mutating func noteBound(_ did: String) { dids.append(did) }

    /// Takes the answer to the login.
    ///
    /// - Returns: Whether it gave a session.
    mutating func begin(_ answer: JSONObject) -> Bool {
        guard let result = answer["result"]?.objectValue,
            let token = result["token"]?.stringValue,
            let uid = result["user"]?.objectValue?["uid"]?.stringValue
        else { return false }
        self.token = token
        self.uid = uid
        return true
    }

    private mutating func request(_ parameters: JSONObject) -> [UInt8] {
        requests += 1
        return JSONValue.object([
            "id": .string("sim-\(requests)"), "token": token.map { .string($0) },
            "params": .object(parameters),
        ]).encoded()
    }
}
