import JSON
import Load

/// A simulated user, who logs in to an app, binds devices and receives their statuses.
struct SimulatedApp {
    enum Phase {
        /// Not connected; the next attempt begins at the time `until`.
        case away(until: Int64)
        /// Connecting, with the app's secret or the session's token.
        case connecting
        /// Connected with the app's secret, waiting for a session.
        case loggingIn
        /// Connected with the session's token.
        case loggedIn
    }

    let app: SimulateOptions.App
    let terminalID = RandomHex.digits(bytes: 16)
    var phase = Phase.away(until: 0)
    /// The later of two times, in milliseconds: the beginning of the phase, and the last ping.
    var since: Int64 = 0
    /// The number of refused connections since the last accepted connection.
    var refusals = 0
    private(set) var uid: String?
    private(set) var token: String?
    private var requests = 0
    /// The ids of the devices whose binding was requested on the current connection.
    private var asked: Set<String> = []

    init(app: SimulateOptions.App) { self.app = app }

    var login: MQTTWriter.Login {
        .init(clientID: terminalID, username: "app:\(app.appID)", password: token ?? app.secret)
    }

    func space(_ root: String) -> String { "\(root)/app/\(app.appID)/\(terminalID)" }

    /// Returns the topic filters to subscribe to, which include the user's topics once the app is logged in.
    func filters(_ root: String) -> [String] {
        [space(root) + "/response"] + (uid.map { ["\(root)/user/\($0)/#"] } ?? [])
    }

    /// Returns the request that logs in as a new anonymous user.
    mutating func loginRequest() -> [UInt8] { request(["countryCode": "1"]) }

    /// Returns a device's binding request, or nil if the device has no id or is bound.
    ///
    /// Also returns nil if the binding was already requested on the current connection.
    mutating func bindRequest(_ device: SimulatedDevice, productKey: String) -> [UInt8]? {
        guard let did = device.did, !dids.contains(did), asked.insert(did).inserted else { return nil }
        return request([
            "productKey": .string(productKey), "mac": .string(device.mac), "passcode": .string(device.passcode),
        ])
    }

    /// Returns the request that sends a command to a device.
    mutating func controlRequest(_ did: String, _ data: JSONObject) -> [UInt8] {
        request(["did": .string(did), "data": .object(data)])
    }

    /// The time of the next command in milliseconds, or nil before the first binding.
    var nextCommandAt: Int64?
    /// The ids of the devices that are bound.
    private(set) var dids: [String] = []

    /// Records that a device is bound.
    mutating func noteBound(_ did: String) { if !dids.contains(did) { dids.append(did) } }

    /// Records that the connection was lost, and when to try again; pending requests will get no answers.
    mutating func lose(until time: Int64) {
        phase = .away(until: time)
        asked = []
    }

    /// Counts a refused connection; after two refusals in a row, discards the session, so that a new user logs in.
    mutating func noteRefusal() {
        refusals += 1
        guard refusals > 1 else { return }
        (token, uid) = (nil, nil)
        dids = []
    }

    /// Reads the answer to the login request.
    ///
    /// - Returns: Whether the answer contains a session.
    mutating func begin(_ answer: JSONObject) -> Bool {
        guard let result = answer["result"]?.objectValue,
            let token = result["token"]?.stringValue,
            let uid = result["user"]?.objectValue?["uid"]?.stringValue
        else { return false }
        (self.token, self.uid) = (token, uid)
        return true
    }

    private mutating func request(_ parameters: JSONObject) -> [UInt8] {
        requests += 1
        return JSONValue.object([
            "id": .string("sim-\(requests)"), "token": token.map { .string($0) }, "params": .object(parameters),
        ]).encoded()
    }
}
