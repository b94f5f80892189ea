import Domain
import JSON

/// Values for the tests, with defaults for everything that doesn't matter to a test.
enum Make {
    static let did = DeviceID(trusted: "d-0000000000001")
    static let key = ProductKey(trusted: String(repeating: "a", count: 32))
    static let now = Instant(milliseconds: 1_700_000_000_000)

    static func at(_ seconds: Int64) -> Instant { now.adding(seconds: seconds) }

    static func product(
        registration: Product.Registration = .open,
        reset: Product.Reset = .owner,
        points: [DataPoint] = [
            DataPoint("power", .bool),
            DataPoint("level", .int, min: 0, max: 100, step: 5),
            DataPoint("temperature", .float, access: .readOnly),
            DataPoint("pin", .string, access: .writeOnly, maxLength: 8),
        ],
        alerts: [String] = ["hot", "wet"],
        faults: [String] = ["sensor"]
    ) -> Product {
        Product(
            key: key,
            name: "Lamp",
            registration: registration,
            reset: reset,
            dataPoints: points,
            alerts: alerts,
            faults: faults
        )
    }

    static var freeForm: Product { product(points: [], alerts: [], faults: []) }

    static func report(
        _ data: JSONObject? = nil,
        ts: Int64? = nil,
        alerts: [Report.Condition] = [],
        faults: [Report.Condition] = []
    ) -> Report {
        let ts = ts.map { at($0) }
        return Report(ts: ts, points: data.map { [.init(ts: ts, data: $0)] } ?? [], alerts: alerts, faults: faults)
    }

    static func history(_ points: [(Int64, JSONObject)]) -> Report {
        Report(points: points.map { .init(ts: at($0.0), data: $0.1) })
    }

    static func binding(
        _ uid: String,
        _ role: Binding.Role,
        since seconds: Int64 = 0
    ) -> Binding {
        Binding(
            did: did,
            uid: UserID(trusted: uid),
            app: AppID(trusted: "app"),
            role: role,
            boundAt: at(seconds)
        )
    }

    static let sentStep = Command.Step(.sent, at: now, by: .asker)

    static func command(_ state: Command.State, expires seconds: Int64 = 30) -> Command {
        Command(
            did: did,
            cid: 1,
            sn: 0,
            kind: .write,
            state: state,
            data: ["power": true],
            actor: .system,
            app: nil,
            createdAt: now,
            expiresAt: at(seconds)
        )
    }

    static func object(_ bytes: [UInt8]) throws -> JSONObject {
        guard let object = try JSONValue.parse(bytes).objectValue else { throw NoObject() }
        return object
    }

    struct NoObject: Error {}
}
