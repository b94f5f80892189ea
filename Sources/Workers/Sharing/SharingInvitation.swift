import Domain
import QRCode
import Sodium
import Storage
import Wire

/// `share/invite`, which makes an invitation by name or by code.
enum SharingInvitation {
    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        let parameters = try InvitationParameters(call.fields)
        let binding = try DeviceMethods.binding(call)
        try BindingExpiry.endGuests(of: binding.did, in: &call.work)
        let bindings = try Bindings(of: binding.did, by: call.actor(), in: call.work)
        _ = try BindingRules.decide(.invite, by: binding.uid, among: bindings.present)
        let guest = try Invited(parameters, call)
        if let guest, guest.user?.uid == binding.uid { throw call.fields.refuse("guest.value", "names yourself") }
        try checkCounts(binding, call)
        if let guest, guest.user == nil, call.app.policies.revealAccounts {
            return .refusal(
                Rejection(.resourceNotFound, "There is no user with this name.", field: "params.guest.value")
            )
        }
        if let guest, try isTaken(guest, among: bindings, call) {
            return .refusal(Rejection(.duplicated, "This user is already bound or invited.", field: "params.guest"))
        }
        return try make(parameters, for: guest, by: binding, &call)
    }

    private static func isTaken(_ guest: Invited, among bindings: Bindings, _ call: Call) throws -> Bool {
        if bindings.present.contains(where: { $0.uid == guest.user?.uid }) { return true }
        // Only names are compared. The answer must not reveal that two names belong to the same user.
        return try call.tx.sharings.isInvited(bindings.did, name: guest.key)
    }

    /// Limits invitations, so that inviters can't flood users or try many names.
    private static func checkCounts(_ binding: Binding, _ call: Call) throws {
        let limit = AttemptTable.Limit("invite:\(binding.uid.text)", perHour: call.limits.invitationsPerHour)
        try call.tx.take(limit, elseSay: "Too many invitations; wait.")
        let waiting = try call.tx.sharings.open(of: binding.did)
            .filter { $0.status(at: call.tx.now) == .pending }
        guard waiting.count < call.limits.invitationsPerDevice else {
            throw Rejection(.forbidden, "Too many invitations to this device are waiting for an answer.")
        }
    }

    private static func make(
        _ parameters: InvitationParameters,
        for guest: Invited?,
        by binding: Binding,
        _ call: inout Call
    ) throws -> Reply {
        let life = parameters.way == .user ? call.limits.invitationSeconds : call.limits.invitationCodeSeconds
        let sharing = Sharing(
            id: SharingID(trusted: call.work.makeID("i")),
            did: binding.did,
            app: call.app.id,
            inviter: binding.uid,
            guest: guest?.user?.uid,
            addressee: guest?.addressee,
            way: parameters.way,
            access: parameters.access,
            guestMinutes: parameters.guestMinutes,
            createdAt: call.tx.now,
            expiresAt: call.tx.now.adding(seconds: life)
        )
        var drawn: SharingCodec.Code?
        if parameters.way == .qrcode {
            let random = Sodium.randomBytes(SharingRules.codeBytes)
            drawn = try picture(of: SharingRules.codePrefix + Sodium.base64URL(random))
        }
        try call.tx.sharings.insert(sharing, name: guest?.key, code: drawn?.text)
        try SharingPush.notify(sharing, in: &call.work)
        return .result(SharingCodec.invited(sharing, code: drawn), isSecret: true)
    }

    private static func picture(of text: String) throws -> SharingCodec.Code {
        guard let code = QRCode(text) else { throw Rejection(.internal, "The QR code can't be drawn.") }
        return (text: text, svg: code.svg, png: Sodium.base64(code.png()))
    }
}
