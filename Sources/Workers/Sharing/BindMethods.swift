import Domain
import Storage
import Wire

/// The methods `device/bind` and `bindRemote`, which need proof of possession, and `device/unbind`.
enum BindMethods {
    static let all: [String: Method] = [
        "device/bind": Method(run: bind),
        "device/bindRemote": Method(run: bindRemote),
        "device/unbind": Method(locks: .device, run: unbind),
    ]

    /// The same answer for wrong proofs, unknown devices, and devices of other apps.
    private static let wrong = Rejection(.invalidCredentials, "The device, passcode or label is wrong.")

    // MARK: At the device

    @Sendable
    private static func bind(_ call: inout Call) throws -> Reply {
        let parameters = try BindParameters(call.fields)
        let (device, target) = try find(parameters.device, &call)
        let isOfApp = try device.map { try call.product(of: $0.productKey) != nil } ?? false
        let hasLabel = device.map { device in
            parameters.claim.map { call.tx.devices.isLabel($0, of: device.productKey, device.mac) } ?? false
        }
        let tries = try ProofTries(target, isThere: isOfApp, hasLabel: hasLabel ?? false, call)
        let isRight = call.tx.devices.hasPasscode(device, parameters.passcode)
        // The refusal is returned and not thrown. An error would undo the count of this attempt.
        guard isRight, isOfApp, let device else { return .refusal(wrong) }
        try tries.succeed(call)
        try join(device.did, &call)
        return .result(BindingCodec.bound(device.did))
    }

    /// Returns the request's device, if it exists, and a string that identifies it.
    private static func find(_ name: BindParameters.Name, _ call: inout Call) throws -> (DeviceRecord?, String) {
        switch name {
        case .did(let did):
            try call.lock(user: call.caller().uid, device: did)
            return (try call.tx.devices.find(did), did.text)
        case .hardware(let key, let mac):
            let device = try lock(key, mac, for: &call)
            return (device, device?.did.text ?? "\(key.text):\(mac.text)")
        }
    }

    /// Locks the caller and the device, and returns the device, if it exists.
    private static func lock(_ key: ProductKey, _ mac: MAC, for call: inout Call) throws -> DeviceRecord? {
        try call.lock(user: call.caller().uid)
        return try call.tx.lock(\.did) { try call.tx.devices.find(key, mac) }
    }

    /// Binds a caller who has proved possession, unless the caller is already bound.
    private static func join(_ did: DeviceID, _ call: inout Call) throws {
        let uid = try call.caller().uid
        try BindingExpiry.endGuests(of: did, in: &call.work)
        let bindings = try Bindings(of: did, by: call.actor(), in: call.work)
        let change = try BindingRules.decide(.bind, by: uid, among: bindings.present)
        guard let role = change.joined else { return }
        try bindings.checkCounts(adding: uid, call)
        let binding = Binding(did: did, uid: uid, app: call.app.id, role: role, boundAt: call.tx.now)
        try bindings.join(binding, in: &call.work)
    }

    // MARK: From afar

    @Sendable
    private static func bindRemote(_ call: inout Call) throws -> Reply {
        let parameters = try RemoteBindParameters(call.fields)
        let (key, mac) = (parameters.productKey, parameters.mac)
        let device = try lock(key, mac, for: &call)
        let product = try call.product(of: key)
        var hasLabel = false
        if case .label(let claim) = parameters.proof { hasLabel = call.tx.devices.isLabel(claim, of: key, mac) }
        let (target, isThere) = (device?.did.text ?? "\(key.text):\(mac.text)", product != nil && device != nil)
        let tries = try ProofTries(target, isThere: isThere, hasLabel: hasLabel, call)
        let isRight =
            switch parameters.proof {
            case .label: hasLabel
            case .productSecret(let secret):
                try call.tx.products.hasSecret(key, secret) && mayBindBySecret(device, of: product, call)
            }
        guard isRight, let product else { return .refusal(wrong) }
        try tries.succeed(call)
        let did = try device?.did ?? makeDevice(product, mac: mac, isLabelled: hasLabel, &call)
        try join(did, &call)
        return .result(BindingCodec.bound(did))
    }

    /// Returns whether the product's secret proves possession of a device.
    ///
    /// The product must allow binding with the secret. If the device is bound only to other users, the secret proves
    /// nothing, since all devices of the product share this secret.
    private static func mayBindBySecret(_ device: DeviceRecord?, of product: Product?, _ call: Call) throws -> Bool {
        let uid = try call.caller().uid
        let present = try device.map { try call.tx.bindings.all(of: $0.did) } ?? []
        let isFree = present.isEmpty || present.contains { $0.uid == uid }
        return isFree && product?.remoteBind == .secret
    }

    /// Creates the record of a device that hasn't registered yet.
    ///
    /// The device's first registration later adds the missing data.
    private static func makeDevice(
        _ product: Product,
        mac: MAC,
        isLabelled: Bool,
        _ call: inout Call
    ) throws -> DeviceID {
        if product.registration == .listed, try !call.tx.products.isListed(product.key, mac) {
            throw Rejection(.notListed, "This MAC is not on the product's list.")
        }
        if !isLabelled { try countNewDevice(call) }
        let did = call.work.makeDeviceID(mac)
        try call.tx.devices.create(did, product: product.key, mac: mac)
        return did
    }

    private static func countNewDevice(_ call: Call) throws {
        let uid = try call.caller().uid
        let limit = AttemptTable.Limit("remoteDevice:\(uid.text)", perDay: call.limits.remoteDevicesPerDay)
        try call.tx.take(limit, elseSay: "Too many new devices were bound remotely.")
    }

    // MARK: Unbinding

    @Sendable
    private static func unbind(_ call: inout Call) throws -> Reply {
        let binding = try DeviceMethods.bindingOfAnyProduct(call)
        try BindingExpiry.endGuests(of: binding.did, in: &call.work)
        let bindings = try Bindings(of: binding.did, by: call.actor(), in: call.work)
        try bindings.leave(binding.uid, because: .unbound, in: &call.work)
        return .done
    }
}
