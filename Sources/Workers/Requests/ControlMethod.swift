import Domain
import JSON
import Storage
import Wire

/// `device/control`: an app commands, the device obeys (PROTOCOL 2.4 and 3.3).
enum ControlMethod {
    private enum Mode: String, CaseIterable {
        case now, queue
    }

    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let mode = try fields.word("mode", as: Mode.self) ?? .now
        let ttl = try fields.integer("ttl", in: 1...Command.ttlMax) ?? Command.ttlDefault
        let sn = try fields.integer("sn") ?? 0
        let waits = try fields.bool("wait") ?? false
        let binding = try DeviceMethods.binding(call)
        try DeviceMethods.requireSubscribed(binding)
        guard binding.access == .control else {
            throw Rejection(.forbidden, "You may watch the device, not control it.")
        }
        guard let record = try call.tx.statuses.find(binding.did),
            let product = call.catalog.product(record.productKey)
        else { throw Rejection(.notBound, "The device is gone.", field: "params.did") }
        let (data, binary) = try content(fields, product)
        guard mode == .now else {
            throw Rejection(
                .unavailable,
                "mode queue comes with a later version of the service.",
                field: "params.mode"
            )
        }
        guard record.status.presence.isOnline else {
            throw Rejection(.deviceOffline, "The device is not connected.")
        }
        let command = Command(
            did: binding.did,
            cid: try call.tx.devices.nextCommandID(binding.did),
            sn: sn,
            kind: .write,
            state: .sent,
            data: data,
            binary: binary,
            actor: try call.actor(),
            app: call.app.id,
            createdAt: call.tx.now,
            expiresAt: call.tx.now.adding(seconds: ttl)
        )
        try send(command, ttl: ttl, product, &call)
        return waits
            ? .later(command.did, cid: command.cid)
            : .result(CommandCodec.result(command, product: product))
    }

    private static func content(
        _ fields: Fields,
        _ product: Product
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
        let values = JSONObject(members: members)
        if let rejection = ProductRules.check(written: values, product: product) {
            throw rejection
        }
        return (values, binary)
    }

    /// Stores the command and owes it to the device; what is stored hides write-only values.
    private static func send(
        _ command: Command,
        ttl: Int64,
        _ product: Product,
        _ call: inout Call
    ) throws {
        var stored = command
        stored.data = ProductRules.masked(command.data, product: product)
        try call.tx.commands.save([stored])
        call.owed.publish(
            OutboundMessage(
                call.topics.command(command.did),
                CommandCodec.encode(command),
                expirySeconds: UInt32(clamping: ttl)
            ),
            isSecret: stored.data != command.data
        )
    }
}
