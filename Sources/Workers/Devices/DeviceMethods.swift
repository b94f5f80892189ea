import Domain
import Storage
import Wire

/// The methods `device/…`, about the devices of users and their current state (`schemas/methods/device.schema.json`).
enum DeviceMethods {
    static let all: [String: Method] = [
        "device/list": .reading(isLong: isLongPage, list), "device/subscribe": Method(locks: .device, run: subscribe),
        "device/status": Method(isReading: true, run: status),
        "device/setCustomInfo": Method(locks: .device, run: setCustomInfo),
        "device/hardware": Method(isReading: true, run: hardware),
        "device/control": Method(refusesFirst: true, locks: .device, run: ControlMethod.control),
        "device/query": Method(refusesFirst: true, locks: .device, run: ControlMethod.query),
        "device/history": Method(isReading: true, prepare: HistoryMethod.prepare, run: HistoryMethod.run),
        "device/events": .reading(check: checkBound, LogMethods.events),
        "device/commands": .reading(check: checkBound, LogMethods.commands),
    ]

    /// Returns whether the page is so long that reading it in the worker would delay other users' commands.
    @Sendable
    static func isLongPage(_ call: Call) throws -> Bool {
        try call.pageLimit() > Int(call.limits.pageDefault)
    }

    /// Refuses a request if its user lost the device while the data was being read.
    @Sendable
    static func checkBound(_ call: Call) throws { _ = try binding(call) }

    // MARK: The device of a request

    /// Returns the caller's binding to the request's device.
    ///
    /// Throws if there is no such binding, or if the app doesn't have the device's product.
    static func binding(_ call: Call) throws -> Binding {
        let binding = try bindingOfAnyProduct(call)
        guard let record = try call.tx.statuses.find(binding.did), call.app.products.contains(record.productKey) else {
            throw BindingRules.notBound
        }
        return binding
    }

    /// Returns the caller's binding to the request's device, regardless of the device's product.
    static func bindingOfAnyProduct(_ call: Call) throws -> Binding {
        let did = try call.fields.did()
        guard let binding = try call.tx.bindings.find(did, call.caller().uid), !binding.isOver(at: call.tx.now) else {
            throw BindingRules.notBound
        }
        return binding
    }

    /// The refusal of a request about a device that has been removed meanwhile.
    static let isGone = Rejection(.notBound, "The device no longer exists.", field: "params.did")

    /// Refuses a caller who is not allowed to control the device.
    static func requireControl(_ binding: Binding) throws {
        try requireSubscribed(binding)
        guard binding.access == .control else {
            throw Rejection(.forbidden, "You may see the device, but not control it.")
        }
    }

    static func requireSubscribed(_ binding: Binding) throws {
        guard binding.isSubscribed else {
            let message = "Subscribe to the device first, with device/subscribe."
            throw Rejection(.notSubscribed, message, field: "params.did")
        }
    }

    /// Returns the times from which a device's past is visible and kept, and the device's product.
    ///
    /// `since` is the time from which users may see the device's past. `oldest` is the time from which the service
    /// keeps the device's history.
    static func reach(_ did: DeviceID, _ call: Call) throws -> (since: Instant, oldest: Instant, product: Product?) {
        guard let device = try call.tx.devices.find(did) else { throw isGone }
        let product = try call.work.product(device.productKey)
        let days = Int64(product?.historyDays ?? call.limits.historyDays)
        let oldest = call.tx.now.adding(seconds: -days * 86_400)
        return (max(device.ownershipSince, oldest), oldest, product)
    }

    // MARK: Reading

    @Sendable
    private static func list(_ call: inout Call) throws -> Answer {
        let limit = try call.pageLimit()
        let offset = try call.pageOffset()
        let products = try call.fields.productKeys()
        return try list(of: call.caller().uid, products: products, page: PageRange(offset: offset, limit: limit), call)
    }

    /// Returns a page of a user's devices for `device/list`, shortened to fit a payload.
    static func list(of uid: UserID, products: [ProductKey]?, page range: PageRange, _ call: Call) throws -> Answer {
        let (known, limit) = (call.app.products.among(products), Int64(range.limit))
        let page = try call.tx.bindings.page(of: uid, products: known, offset: range.offset, limit: limit)
        let rows = try AnswerRows.fitting(page.rows, row: call.work.row)
        let next = range.offset + Int64(rows.count)
        return BindingCodec.page(rows, total: page.total, next: rows.count < page.rows.count ? next : nil)
    }

    @Sendable
    private static func status(_ call: inout Call) throws -> Reply {
        let binding = try binding(call)
        try requireSubscribed(binding)
        guard let record = try call.tx.statuses.find(binding.did) else { throw isGone }
        let product = try call.work.product(record.productKey)
        return .result(StatusCodec.answer(record.status, of: binding.did, product: product))
    }

    // MARK: Subscribing

    @Sendable
    private static func subscribe(_ call: inout Call) throws -> Reply {
        let isSubscribed = try call.fields.subscribes()
        let binding = try binding(call)
        try call.tx.bindings.setSubscribed(binding.did, binding.uid, to: isSubscribed)
        try call.tx.refreshes.add([Refresh(did: binding.did, uid: binding.uid)])
        if isSubscribed != binding.isSubscribed { try notifyChanged(binding.did, &call) }
        call.work.effects.wake(.status, of: binding.did)
        return .done
    }

    // MARK: The user's notes, and the hardware

    @Sendable
    private static func setCustomInfo(_ call: inout Call) throws -> Reply {
        let parameters = try CustomInfoParameters(call.fields)
        let (alias, remark) = (parameters.alias, parameters.remark)
        let binding = try binding(call)
        let isNew = (alias ?? binding.alias) != binding.alias || (remark ?? binding.remark) != binding.remark
        guard isNew else { return .done }
        try call.tx.bindings.setCustomInfo(binding.did, binding.uid, alias: alias, remark: remark)
        try notifyChanged(binding.did, &call)
        return .done
    }

    @Sendable
    private static func hardware(_ call: inout Call) throws -> Reply {
        let binding = try binding(call)
        guard let device = try call.tx.devices.find(binding.did) else { throw BindingRules.notBound }
        return .result(BindingCodec.hardware(device.hardware, productKey: device.productKey))
    }

    /// Notifies the caller's terminals that a device's row in `device/list` has changed.
    static func notifyChanged(_ did: DeviceID, _ call: inout Call) throws {
        let push = DevicePush(did, by: try call.actor())
        try push.notifyWithDevice(.changed, call.caller().uid, in: &call.work)
    }
}
