import Domain
import JSON
import Storage
import Wire

/// `device/…`: who has which device, and what it is at present (PROTOCOL 3.3).
enum DeviceMethods {
    static let all: [String: Method] = [
        "device/list": Method(isReading: true, run: list),
        "device/bind": Method(run: bind),
        "device/unbind": Method(run: unbind),
        "device/subscribe": Method(run: subscribe),
        "device/status": Method(isReading: true, run: status),
        "device/control": Method(run: ControlMethod.control),
        "device/query": Method(run: ControlMethod.query),
        "device/history": Method(
            isReading: true,
            prepare: HistoryMethod.prepare,
            run: HistoryMethod.run
        ),
        "device/events": Method(isReading: true, run: LogMethods.events),
        "device/commands": Method(isReading: true, run: LogMethods.commands),
    ]

    // MARK: What every method needs

    /// The caller's bond with the device that the request names.
    static func binding(_ call: Call) throws -> Binding {
        let did = try call.fields.requiredID("did", as: DeviceID.self)
        guard let binding = try call.tx.bindings.find(did, call.caller().uid) else {
            throw Rejection(.notBound, "The device is not bound to you.", field: "params.did")
        }
        return binding
    }

    static func requireSubscribed(_ binding: Binding) throws {
        guard binding.isSubscribed else {
            throw Rejection(
                .notSubscribed,
                "Subscribe to the device first, with device/subscribe.",
                field: "params.did"
            )
        }
    }

    /// How far back the past of a device reaches for those who are bound to it now: to the beginning
    /// of its present life with them, and no further than it is kept.
    static func reach(
        _ did: DeviceID,
        _ call: Call
    ) throws -> (since: Instant, product: Product?) {
        guard let device = try call.tx.devices.find(did) else {
            throw Rejection(.notBound, "The device is gone.", field: "params.did")
        }
        let product = call.catalog.product(device.productKey)
        let days = Int64(product?.historyDays ?? call.limits.historyDays)
        let oldest = call.tx.now.adding(seconds: -days * 86_400)
        return (max(device.generationAt, oldest), product)
    }

    /// How many rows a page may have.
    static func limit(_ call: Call) throws -> Int {
        let limit = try call.fields.integer("limit", in: 1...call.limits.pageMax)
        return Int(limit ?? call.limits.pageDefault)
    }

    // MARK: Reading

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let fields = call.fields
        let limit =
            try fields.integer("limit", in: 1...call.limits.pageMax) ?? call.limits.pageDefault
        let offset = try fields.integer("offset", in: 0...JSONValue.integerMax) ?? 0
        var products: [ProductKey]?
        if fields.object["productKeys"] != nil {
            products = try fields.texts("productKeys").map { text in
                guard let key = ProductKey(text) else {
                    throw Rejection.invalid(
                        "params.productKeys",
                        "params.productKeys holds what is no product key."
                    )
                }
                return key
            }
        }
        return .result(
            try list(
                of: call.caller().uid,
                products: products,
                offset: offset,
                limit: limit,
                call
            )
        )
    }

    /// A page of a user's devices, as `device/list` answers it; cut short before it would grow
    /// beyond a payload.
    static func list(
        of uid: UserID,
        products: [ProductKey]?,
        offset: Int64,
        limit: Int64,
        _ call: Call
    ) throws -> JSONObject {
        let page = try call.tx.bindings.page(
            of: uid,
            products: products,
            offset: offset,
            limit: limit
        )
        var rows: [JSONValue] = []
        var bytes = 256
        for row in page.rows {
            let value = BindingCodec.row(
                row.binding,
                productKey: row.productKey,
                mac: row.mac,
                productName: call.catalog.product(row.productKey)?.name ?? "",
                isOnline: row.isOnline
            )
            bytes += value.encoded().count + 1
            if bytes > Payload.bytesMax - 1024 { break }
            rows.append(value)
        }
        let next = offset + Int64(rows.count)
        return [
            "devices": .array(rows), "total": .integer(page.total),
            "cursor": rows.count < page.rows.count ? .string("\(next)") : nil,
        ]
    }

    @Sendable
    private static func status(_ call: inout Call) throws -> Reply {
        let binding = try binding(call)
        try requireSubscribed(binding)
        guard let record = try call.tx.statuses.find(binding.did) else {
            throw Rejection(.notBound, "The device is gone.", field: "params.did")
        }
        let payload = StatusCodec.encode(
            record.status,
            of: binding.did,
            product: call.catalog.product(record.productKey)
        )
        return .result(try JSONValue.parse(payload).objectValue ?? [:])
    }

    // MARK: Binding

    @Sendable
    private static func bind(_ call: inout Call) throws -> Reply {
        let uid = try call.caller().uid
        let passcode = try call.fields.requiredText("passcode", length: 1...64)
        let (device, target) = try wantedDevice(call)
        let isOfApp = device.map { call.product(of: $0.productKey) != nil } ?? false
        // Tries on what this app has no right to count within the app: they must not lock out the
        // device's own users, and an unknown device must look the same.
        let counter = isOfApp ? "bind:\(target)" : "bind:\(call.app.id.text):\(target)"
        let tries = [counter, "bind:\(uid.text)"]
        try checkTries(tries, call)
        let isRight = call.tx.devices.hasPasscode(device, passcode)
        guard isRight, isOfApp, let device else {
            // Kept although the request fails: the refusal is a result like any other here.
            return try refuseProof(tries, &call)
        }
        let present = try call.tx.bindings.all(of: device.did)
        switch BindingRules.bind(uid, among: present) {
        case .refuse(let rejection): throw rejection
        case .isBoundAlready: break
        case .bind(let role):
            try checkCounts(uid, present, call)
            let binding = Binding(
                did: device.did,
                uid: uid,
                app: call.app.id,
                role: role,
                boundAt: call.tx.now
            )
            try call.tx.bindings.insert(binding)
            tellBound(binding, present, &call)
            try call.tx.refreshes.add([Refresh(did: device.did, uid: uid)])
            call.owed.wake(.status)
        }
        return .result(["did": .string(device.did.text)])
    }

    /// The device that the request names, where there is one, and a text that stands for it.
    private static func wantedDevice(_ call: Call) throws -> (DeviceRecord?, String) {
        if let did = try call.fields.id("did", as: DeviceID.self) {
            guard call.fields.object["productKey"] == nil, call.fields.object["mac"] == nil else {
                throw Rejection.invalid(
                    "params.did",
                    "A device is named by did, or by productKey and mac."
                )
            }
            return (try call.tx.devices.find(did), did.text)
        }
        let key = try call.fields.requiredID("productKey", as: ProductKey.self)
        let mac = try call.fields.requiredID("mac", as: MAC.self)
        let device = try call.tx.devices.find(key, mac)
        return (device, device?.did.text ?? "\(key.text):\(mac.text)")
    }

    private static func checkTries(_ subjects: [String], _ call: Call) throws {
        for subject in subjects {
            guard
                let retryAfter = try call.tx.attempts.retryAfter(
                    subject,
                    max: BindingRules.triesMax,
                    windowSeconds: BindingRules.triesWindowSeconds
                )
            else { continue }
            throw Rejection(
                .tooManyRequests,
                "Too many wrong passcodes.",
                retryAfter: retryAfter
            )
        }
    }

    private static func refuseProof(_ subjects: [String], _ call: inout Call) throws -> Reply {
        for subject in subjects {
            try call.tx.attempts.add(subject, windowSeconds: BindingRules.triesWindowSeconds)
        }
        return .refusal(
            Rejection(.invalidCredentials, "No device has this id and this passcode.")
        )
    }

    private static func checkCounts(
        _ uid: UserID,
        _ present: [Binding],
        _ call: Call
    ) throws {
        guard present.count < call.limits.usersPerDevice,
            try call.tx.bindings.count(of: uid) < call.limits.devicesPerUser
        else { throw Rejection(.forbidden, "The limit of bindings is reached.") }
    }

    private static func tellBound(
        _ binding: Binding,
        _ present: [Binding],
        _ call: inout Call
    ) {
        push("bound", binding.did, to: [binding.uid], &call)
        push(
            "usersChanged",
            binding.did,
            to: present.filter(\.role.isPrincipal).map(\.uid),
            &call
        )
    }

    private static func push(
        _ type: StaticString,
        _ did: DeviceID,
        to uids: [UserID],
        _ call: inout Call,
        _ more: [(String, JSONValue?)] = []
    ) {
        for uid in uids {
            call.owed.publish(
                OutboundMessage(call.topics.user(uid, "device"), BindingCodec.push(type, did, more))
            )
        }
    }

    // MARK: Unbinding

    @Sendable
    private static func unbind(_ call: inout Call) throws -> Reply {
        let binding = try binding(call)
        let isGone = try Unbinding.leave(
            binding.did,
            binding.uid,
            reason: "unbound",
            call.topics,
            in: call.tx,
            owed: &call.owed
        )
        guard isGone else {
            throw Rejection(.notBound, "The device is not bound to you.", field: "params.did")
        }
        return .result([:])
    }

    // MARK: Subscribing

    @Sendable
    private static func subscribe(_ call: inout Call) throws -> Reply {
        let isSubscribed = try call.fields.requiredBool("subscribed")
        let binding = try binding(call)
        try call.tx.bindings.setSubscribed(binding.did, binding.uid, isSubscribed)
        try call.tx.refreshes.add([Refresh(did: binding.did, uid: binding.uid)])
        if isSubscribed != binding.isSubscribed {
            push(
                "changed",
                binding.did,
                to: [binding.uid],
                &call,
                [("subscribed", .bool(isSubscribed))]
            )
        }
        call.owed.wake(.status)
        return .result([:])
    }
}
