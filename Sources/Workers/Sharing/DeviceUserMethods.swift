import Domain
import Storage
import Wire

/// The methods `device/users` and `allowReset`, for special users and owners, and `removeUser`, for owners only.
enum DeviceUserMethods {
    static let all: [String: Method] = [
        "device/users": .reading(check: checkPrincipal, users),
        "device/removeUser": Method(locks: .device, run: removeUser),
        "device/allowReset": Method(locks: .device, run: allowReset),
    ]

    private static func principal(_ call: Call) throws -> Binding {
        let binding = try DeviceMethods.binding(call)
        guard binding.role.isPrincipal else {
            throw Rejection(
                .forbidden,
                "Only a special user or owner of the device may do this."
            )
        }
        return binding
    }

    @Sendable
    private static func checkPrincipal(_ call: Call) throws { _ = try principal(call) }

    // MARK: Users

    @Sendable
    private static func users(_ call: inout Call) throws -> Answer {
        let limit = try call.pageLimit()
        let start = try RowCursor(call.fields)
        let binding = try principal(call)
        let present = try call.tx.bindings.all(of: binding.did)
            .filter { !$0.isOver(at: call.tx.now) }
            .sorted { ($0.boundAt, $0.uid) < ($1.boundAt, $1.uid) }
            .drop { row in
                start.map { ($0.at, $0.id) >= (row.boundAt, row.uid.text) } ?? false
            }
        let rows = try AnswerRows.fitting(present.prefix(limit)) { row in
            let user = try call.tx.accounts.find(row.uid)
            return BindingCodec.user(
                row,
                nickname: user?.nickname ?? "",
                address: address(of: user, call),
                username: user?.ownsUsername == true ? user?.username : nil
            )
        }
        let last = rows.isEmpty ? nil : present.dropFirst(rows.count - 1).first
        let isMore = rows.count < present.count
        let cursor = isMore ? last.map { RowCursor(at: $0.boundAt, id: $0.uid.text).text } : nil
        return AnswerRows.page(.users, rows, next: cursor)
    }

    /// Returns the phone number or e-mail address of a device's user, as shown to special users and owners.
    ///
    /// The result is the verified phone number, or else the verified e-mail address. An unverified address might belong
    /// to another person. An unverified e-mail address is returned only if the app doesn't verify e-mail addresses. If
    /// no address may be shown, the result is nil.
    private static func address(of user: User?, _ call: Call) -> String? {
        guard let user else { return nil }
        if user.isPhoneVerified, let phone = user.phone { return phone.text }
        guard user.isEmailVerified || !call.app.policies.emailVerification else { return nil }
        return user.email?.text
    }

    @Sendable
    private static func removeUser(_ call: inout Call) throws -> Reply {
        let other = try call.fields.uid()
        let binding = try DeviceMethods.binding(call)
        let bindings = try Bindings(of: binding.did, by: call.actor(), in: call.work)
        let change = try BindingRules.decide(.remove(other), by: binding.uid, among: bindings.present)
        try bindings.carryOut(change, because: .removed, in: &call.work)
        return .done
    }

    // MARK: Resets

    @Sendable
    private static func allowReset(_ call: inout Call) throws -> Reply {
        let binding = try principal(call)
        guard let device = try call.tx.devices.find(binding.did) else { throw BindingRules.notBound }
        guard try call.work.product(device.productKey)?.reset != .operator else {
            throw Rejection(.forbidden, "Only an operator may reset this product's devices.")
        }
        let until = call.tx.now.adding(seconds: RegistrationRules.resetWindowSeconds)
        try call.tx.devices.allowReset(binding.did, until: until)
        return .result(BindingCodec.resetAllowed(until: until))
    }
}
