import Domain
import Storage
import Wire

/// `device/control` and `device/query`, by which an app sends a command (`schemas/methods/device.schema.json`).
enum ControlMethod {
    @Sendable
    static func control(_ call: inout Call) throws -> Reply {
        let parameters = try ControlParameters(call.fields)
        let (binding, product) = try target(call)
        try DeviceMethods.requireControl(binding)
        let (data, binary) = try CommandCodec.content(call.fields)
        let command = try CommandDispatcher.send(
            CommandRequest(
                did: binding.did,
                data: data,
                binary: binary,
                sn: parameters.sn,
                mode: parameters.mode,
                ttl: parameters.ttl,
                actor: try call.actor(),
                beneficiary: call.key == nil ? nil : binding.uid,
                app: call.app.id,
                trace: call.request.trace
            ),
            product: product,
            in: &call.work
        )
        return parameters.waits
            ? .later(command.did, cid: command.cid) : .result(CommandCodec.result(command, product: product))
    }

    @Sendable
    static func query(_ call: inout Call) throws -> Reply {
        let timeout = try call.fields.queryTimeout()
        let (binding, product) = try target(call)
        let command = try CommandDispatcher.send(
            CommandRequest(
                did: binding.did,
                kind: .query,
                ttl: timeout,
                actor: try call.actor(),
                beneficiary: call.key == nil ? nil : binding.uid,
                app: call.app.id,
                trace: call.request.trace
            ),
            product: product,
            in: &call.work
        )
        return .later(command.did, cid: command.cid)
    }

    /// Returns the caller's binding and the device's product, or throws if the caller isn't subscribed to the device.
    private static func target(_ call: Call) throws -> (Binding, Product) {
        let binding = try DeviceMethods.binding(call)
        try DeviceMethods.requireSubscribed(binding)
        guard let record = try call.tx.statuses.find(binding.did),
            let product = try call.work.product(record.productKey)
        else { throw DeviceMethods.isGone }
        return (binding, product)
    }
}
