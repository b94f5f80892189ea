import Domain
package import JSON
import QRCode
import Service
import Sodium
import Storage
import Wire
import Workers

/// The operations by which an operator acts on a device.
enum DeviceActions {
    static let all: [Operation] = [
        Operation("commandDevice", "POST", "devices/{did}/commands", role: .operator, command),
        Operation("labelDevice", "PATCH", "devices/{did}", role: .operator, DeviceLabels.change),
        Operation("forgetDevice", "DELETE", "devices/{did}", role: .admin, forget),
        Operation("previewForget", "GET", "devices/{did}/removal", role: .operator, removal),
        Operation("kickDevice", "POST", "devices/{did}/kick", role: .operator, kick),
        Operation("rotateDeviceSecret", "POST", "devices/{did}/secret", role: .admin, rotate),
        Operation("allowReset", "POST", "devices/{did}/reset", role: .operator, allowReset),
        Operation("showDeviceLabel", "GET", "devices/{did}/label", role: .operator, label),
        Operation("showLabel", "GET", "products/{productKey}/labels/{mac}", role: .operator) { call in
            let (key, mac) = (try call.id("productKey", ProductKind.self), try call.id("mac", MACKind.self))
            return try label(key, mac, for: call)
        },
    ]

    private static let resetMinutes: ClosedRange<Int64> = 1...RegistrationRules.resetMinutesMax

    private static func command(_ call: OperationCall) throws -> JSONObject {
        guard let data = try call.fields.object("data"), !data.members.isEmpty else {
            throw Refused.invalid("data", "data must contain the values to set.")
        }
        let mode = try call.fields.word("mode", as: Command.Mode.self) ?? .now
        let ttl = try call.fields.integer("ttl", in: 1...Command.ttlMax)
        let (command, product) = try call.act { work, act in
            let did = try DeviceOperations.device(call, in: work.tx).device.did
            let product = try work.product(of: did)
            let request = CommandRequest(did: did, data: data, mode: mode, ttl: ttl, actor: call.actor)
            let command = try CommandDispatcher.enqueue(request, product: product, in: &work)
            act = Act(subject: "device \(did)", after: .object(ProductRules.masked(data, product: product)))
            return (command, product)
        }
        return CommandView.row(command, product: product)
    }

    private static func removal(_ call: OperationCall) throws -> JSONObject {
        try call.read { tx in
            let did = try DeviceOperations.device(call, in: tx).device.did
            return try lost(with: did, in: tx)
        }
    }

    /// Returns a summary of the data that is deleted together with a device (`DeviceRemoval` of `schemas/http`).
    ///
    /// The summary contains the ids of the users who lose the device. It also contains the counts of open invitations,
    /// schedules, open commands and records.
    private static func lost(with did: DeviceID, in tx: Transaction) throws -> JSONObject {
        [
            "users": .array(try tx.bindings.all(of: did).map { .string($0.uid.text) }),
            "invitations": Shown.count(try tx.sharings.open(of: did).count),
            "schedules": .integer(try tx.schedules.count(ofDevice: did)),
            "commands": Shown.count(try tx.commands.open(did).count), "records": .integer(try tx.history.count(did)),
        ]
    }

    private static func forget(_ call: OperationCall) throws -> JSONObject {
        let did = try call.id("did", DeviceKind.self)
        try call.requireConfirmation(of: did.text)
        return try call.act { work, act in
            try work.tx.lock(devices: [did])
            let device = try DeviceOperations.device(call, in: work.tx).device
            let lost = try lost(with: did, in: work.tx)
            act.subject = "device \(did)"
            act.before = .object(
                lost.adding([("productKey", .string(device.productKey.text)), ("mac", .string(device.mac.text))])
            )
            try DeviceOwnership.forget(did, in: &work)
            return lost
        }
    }

    private static func kick(_ call: OperationCall) throws -> JSONObject {
        try call.act { work, act in
            let did = try DeviceOperations.device(call, in: work.tx).device.did
            act.subject = "device \(did)"
            work.effects.publish(OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)])))
        }
        return ["told": true]
    }

    private static func rotate(_ call: OperationCall) throws -> JSONObject {
        let did = try call.id("did", DeviceKind.self)
        try call.requireConfirmation(of: did.text)
        let secret = Sodium.randomSecret()
        try call.act { work, act in
            try work.tx.lock(devices: [did])
            let device = try DeviceOperations.device(call, in: work.tx).device
            guard device.secretHash != nil else {
                throw Refused(409, .forbidden, "\(did) has not registered, so it has no secret yet.")
            }
            act.subject = "device \(did)"
            try work.tx.devices.setSecret(did, secret)
            work.effects.publish(OutboundMessage(Topics.gateControl, SystemCodec.gate([.kickDevice(did)])))
        }
        return ["secret": .string(secret)]
    }

    private static func allowReset(_ call: OperationCall) throws -> JSONObject {
        let did = try call.id("did", DeviceKind.self)
        let minutes =
            try call.fields.integer("minutes", in: resetMinutes)
            ?? RegistrationRules.resetWindowSeconds / 60
        try call.act { work, act in
            try work.tx.lock(devices: [did])
            let device = try DeviceOperations.device(call, in: work.tx).device
            let until = work.now.adding(seconds: minutes * 60)
            act.subject = "device \(did)"
            act.before = device.resetUntil.map { ["resetUntil": Shown.moment($0)] }
            act.after = ["resetUntil": Shown.moment(until)]
            try work.tx.devices.allowReset(did, until: until)
        }
        return [:]
    }

    private static func label(_ call: OperationCall) throws -> JSONObject {
        let device = try call.read { try DeviceOperations.device(call, in: $0).device }
        return try label(device.productKey, device.mac, for: call)
    }

    private static func label(_ key: ProductKey, _ mac: MAC, for call: OperationCall) throws -> JSONObject {
        let text = try call.read { tx in
            guard try tx.products.find(key) != nil else { throw Refused.notFound("product", key.text) }
            return tx.devices.label(key, mac)
        }
        let rows = QRCode(text)?.rows ?? []
        return ["text": .string(text), "rows": .array(rows.map(JSONValue.string))]
    }
}

extension JSONObject {
    /// Returns a copy of the object with the given members appended.
    package func adding(_ more: [(String, JSONValue?)]) -> JSONObject {
        JSONObject(members: members + JSONObject(more).members)
    }
}
