import Domain
import JSON
import Storage
import Wire

/// `device/control` and `device/query`: an app sends a command to a device (`schemas/methods/device.schema.json`).
enum ControlMethod {
    /// The longest wait for a device's answer to a query, in seconds.
    static let queryTimeoutDefault: Int64 = 10
    static let queryTimeoutMax: Int64 = 60

    @Sendable
    static func control(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let mode = try fields.word("mode", as: Command.Mode.self) ?? .now
        let ttl = try fields.integer("ttl", in: 1...Command.ttlMax)
        let sn = try fields.integer("sn") ?? 0
        let waits = try fields.bool("wait") ?? false
        let (binding, product) = try target(call)
        guard binding.access == .control else {
            throw Rejection(.forbidden, "You may watch the device, not control it.")
        }
        let (data, binary) = try content(fields)
        let command = try send(
            CommandRequest(
                did: binding.did,
                data: data,
                binary: binary,
                sn: sn,
                mode: mode,
                ttl: ttl,
                actor: try call.actor(),
                app: call.app.id
            ),
            product,
            &call
        )
        return waits
            ? .later(command.did, cid: command.cid)
            : .result(CommandCodec.result(command, product: product))
    }

    @Sendable
    static func query(_ call: inout Call) throws -> Reply {
        let timeout = try call.fields.integer("timeout", in: 1...queryTimeoutMax)
        let (binding, product) = try target(call)
        let command = try send(
            CommandRequest(
                did: binding.did,
                kind: .query,
                ttl: timeout ?? queryTimeoutDefault,
                actor: try call.actor(),
                app: call.app.id
            ),
            product,
            &call
        )
        return .later(command.did, cid: command.cid)
    }

    /// Returns the caller's binding with the device, which must be subscribed, and the device's product.
    private static func target(_ call: Call) throws -> (Binding, Product) {
        let binding = try DeviceMethods.binding(call)
        try DeviceMethods.requireSubscribed(binding)
        guard let record = try call.tx.statuses.find(binding.did),
            let product = call.catalog.product(record.productKey)
        else { throw Rejection(.notBound, "The device is gone.", field: "params.did") }
        return (binding, product)
    }

    private static func content(
        _ fields: Fields
    ) throws -> (data: JSONObject, binary: String?) {
        let data = try fields.object("data")
        let binary = try fields.base64("binary")
        let members = data?.members.filter { $0.value != .null } ?? []
        guard !members.isEmpty || binary != nil else {
            throw Rejection.invalid("params.data", "params.data or params.binary is missing.")
        }
        guard members.isEmpty || binary == nil else {
            throw Rejection.invalid(
                "params.binary",
                "A command carries params.data or params.binary, not both."
            )
        }
        return (JSONObject(members: members), binary)
    }

    private static func send(
        _ request: CommandRequest,
        _ product: Product,
        _ call: inout Call
    ) throws -> Command {
        try CommandDispatcher.send(
            request,
            product: product,
            limits: call.limits,
            topics: call.topics,
            in: call.tx,
            effects: &call.effects
        )
    }
}
