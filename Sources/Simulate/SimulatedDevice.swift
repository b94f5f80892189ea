import Domain
import JSON
import Load

/// One simulated device: its id and secret, its values, and its unanswered reports.
///
/// A device registers with its product's secret, and then connects with its own secret. The device keeps each report
/// until the service answers the report.
struct SimulatedDevice {
    enum Phase {
        /// Not connected; the next attempt begins at the time `until`.
        case away(until: Int64)
        /// Connecting with the product's secret, or connected with it and waiting for the device's id and secret.
        case registering
        /// Connecting with the device's own id and secret.
        case connecting
        case online
    }

    let mac: String
    let passcode: String
    private(set) var did: String?
    private(set) var secret: String?
    var phase = Phase.away(until: 0)
    /// The later of two times, in milliseconds: the beginning of the phase, and the last ping.
    var since: Int64 = 0
    var nextReportAt: Int64 = 0
    /// The reports that the service hasn't answered.
    var kept = KeptReports()
    private var values: SimulatedValues
    private var lastCommand: Int64 = 0
    private var reports = 0
    /// A random text that is part of all message ids of one run.
    ///
    /// Each run needs a new text, because the service remembers the ids of earlier runs.
    private let run: String

    init(_ product: Product, run: String) {
        mac = RandomHex.digits(bytes: 6)
        passcode = RandomHex.digits(bytes: 4)
        values = SimulatedValues(product)
        self.run = run
    }

    var isOnline: Bool { if case .online = phase { true } else { false } }

    /// The payload of the message that registers the device.
    var registration: [UInt8] {
        JSONValue.object([
            "id": .string("reg-\(run)"), "mac": .string(mac),
            "passcode": .string(passcode), "oldSecret": secret.map { .string($0) },
            "hardware": ["link": "wifi", "wifiSoftVersion": "1.0-simulated"],
        ]).encoded()
    }

    /// Reads the answer to the registration.
    ///
    /// - Returns: Whether the answer contains an id and a secret.
    mutating func register(_ answer: JSONObject) -> Bool {
        guard let result = answer["result"]?.objectValue, let did = result["did"]?.stringValue,
            let secret = result["secret"]?.stringValue
        else { return false }
        (self.did, self.secret) = (did, secret)
        return true
    }

    /// Makes the next report, and keeps it until the service answers it.
    mutating func report(at now: Int64) {
        let data = values.drift(at: Double(now) / 1000)
        keep(now, [("data", .object(data)), (values.faultField, values.fault())])
    }

    /// Carries out a command and returns the answering report, or nil if the command isn't newer than the last one.
    mutating func obey(_ command: JSONObject, at now: Int64) -> [UInt8]? {
        guard let cid = command["cid"]?.intValue, cid > lastCommand else { return nil }
        lastCommand = cid
        let isDone = command["data"]?.objectValue.map { values.write($0) } ?? true
        return keep(now, [("cid", .integer(cid)), ("code", isDone ? 0 : 1), ("data", .object(values.all))])
    }

    /// Processes the answer to a report.
    ///
    /// - Returns: Whether the report was accepted, or nil if no such report is under way.
    mutating func settle(_ answer: JSONObject) -> Bool? {
        guard let id = answer["id"]?.stringValue, kept.settle(id) else { return nil }
        return answer["ok"]?.boolValue ?? false
    }

    @discardableResult
    private mutating func keep(_ now: Int64, _ members: [(String, JSONValue?)]) -> [UInt8] {
        reports += 1
        let id = "\(run)-\(reports)"
        let payload = JSONValue.object(JSONObject([("id", .string(id)), ("ts", .integer(now))] + members)).encoded()
        kept.append(id, payload, at: now)
        return payload
    }
}
