import Domain
import Storage
import Wire

/// The methods `share/…`, about an owner's invitations to other users (`schemas/methods/share.schema.json`).
enum SharingMethods {
    static let all: [String: Method] = [
        "share/invite": Method(locks: .device, run: SharingInvitation.run),
        "share/list": .reading(isLong: DeviceMethods.isLongPage, list),
        "share/preview": Method(run: preview),
        "share/answer": Method(run: answer),
        "share/revoke": Method(run: revoke),
        "share/transfer": Method(locks: .device, run: transfer),
    ]

    // MARK: Listing

    @Sendable
    private static func list(_ call: inout Call) throws -> Answer {
        let fields = call.fields
        let parameters = try SharingListParameters(fields)
        let limit = try call.pageLimit()
        let uid = try call.caller().uid
        let page = try call.tx.sharings.page(
            of: uid,
            isGuest: parameters.isGuest,
            did: parameters.did,
            before: try RowCursor(fields).map { ($0.at, SharingID(trusted: $0.id)) },
            limit: Int64(limit) + 1
        )
        let rows = try AnswerRows.fitting(page.prefix(limit)) { sharing in
            try SharingPush.view(of: sharing, for: uid, in: call.work)
        }
        let last = rows.isEmpty ? nil : page[rows.count - 1]
        let next = rows.count < page.count ? last : nil
        return AnswerRows.page(.sharings, rows, next: next.map { RowCursor(at: $0.createdAt, id: $0.id.text).text })
    }

    // MARK: Answering

    /// Shows an invitation to a user who may answer it, without changing the invitation.
    @Sendable
    private static func preview(_ call: inout Call) throws -> Reply {
        let name = try SharingName(call.fields)
        let uid = try call.caller().uid
        try call.quotas.take(call.previewQuotas)
        let found = try find(name, for: uid, call)
        if let refusal = SharingRules.refuseAnswer(found, by: uid, at: call.tx.now) {
            // The refusal is returned and not thrown. An error would undo the count of this preview.
            return .refusal(refusal)
        }
        guard var sharing = found else { return .done }
        sharing.guest = uid
        let status = try call.tx.statuses.find(sharing.did)
        return .result(
            SharingCodec.preview(
                try SharingPush.view(of: sharing, for: uid, in: call.work),
                productKey: status?.productKey,
                isOnline: status?.status.presence.isOnline
            )
        )
    }

    @Sendable
    private static func answer(_ call: inout Call) throws -> Reply {
        let parameters = try SharingAnswerParameters(call.fields)
        let uid = try call.caller().uid
        // Each attempt to answer an invitation by code is counted, since codes can be guessed. Answers to invitations
        // by name aren't counted.
        var tries: ProofTries?
        if case .code = parameters.invitation { tries = try ProofTries("qr/\(uid.text)", call) }
        try call.lock(user: uid)
        var found = try call.tx.lock(\.did) { try find(parameters.invitation, for: uid, call) }
        if let sharing = found, try BindingExpiry.endGuests(of: sharing.did, in: &call.work) {
            // `endGuests` has ended expired bindings. If the caller had one of these bindings, the invitation may have
            // ended too.
            found = try call.tx.sharings.find(sharing.id)
        }
        if let refusal = SharingRules.refuseAnswer(found, by: uid, at: call.tx.now) {
            guard found == nil, tries != nil else { throw refusal }
            return .refusal(refusal)
        }
        try tries?.succeed(call)
        guard var sharing = found else { return .done }
        sharing.guest = uid
        sharing.become(parameters.accepts ? .accepted : .rejected, at: call.tx.now)
        if parameters.accepts { try accept(&sharing, &call) }
        try call.tx.sharings.save(sharing)
        try SharingPush.notify(sharing, in: &call.work)
        return .result(SharingCodec.answered(sharing))
    }

    /// Returns the invitation with the given code or id, or nil if the user can't find an invitation by this name.
    private static func find(
        _ name: SharingName,
        for uid: UserID,
        _ call: Call
    ) throws -> Sharing? {
        switch name {
        case .code(let text):
            // Only users of the inviter's region find the invitation. An account exists only in its own region.
            let region = try call.tx.accounts.find(uid)?.region
            return try call.tx.sharings.find(code: text, app: call.app.id)
                .flatMap { try call.tx.accounts.find($0.inviter)?.region == region ? $0 : nil }
        case .id(let id):
            // An invitation by QR code has to be answered with the code, not with the id.
            return try call.tx.sharings.find(id).flatMap { $0.way == .user ? $0 : nil }
        }
    }

    private static func accept(_ sharing: inout Sharing, _ call: inout Call) throws {
        let uid = try call.caller().uid
        let bindings = try Bindings(of: sharing.did, by: call.actor(), in: call.work)
        let change = try BindingRules.decide(.accept(from: sharing.inviter), by: uid, among: bindings.present)
        guard let role = change.joined else { return }
        try bindings.checkCounts(adding: uid, call)
        sharing.acceptedAt = call.tx.now
        let binding = Binding(
            did: sharing.did,
            uid: uid,
            app: call.app.id,
            role: role,
            access: sharing.access,
            boundAt: call.tx.now,
            guestUntil: sharing.guestMinutes.map { call.tx.now.adding(seconds: $0 * 60) },
            sharing: sharing.id
        )
        try bindings.join(binding, roles: change.roles, in: &call.work)
    }

    // MARK: Ending

    @Sendable
    private static func revoke(_ call: inout Call) throws -> Reply {
        let id = try call.fields.sharingID()
        let uid = try call.caller().uid
        let found = try call.tx.lock(\.did) { try call.tx.sharings.find(id) }
        if let refusal = SharingRules.refuseRevocation(found, by: uid, at: call.tx.now) { throw refusal }
        guard var sharing = found else { return .done }
        if sharing.status == .accepted, let guest = sharing.guest {
            let actor = try call.actor()
            let bindings = try Bindings(of: sharing.did, by: actor, in: call.work)
            let change = try BindingRules.decide(.remove(guest), by: uid, among: bindings.present)
            // The invitation ends together with the binding that it created.
            try bindings.carryOut(change, because: .revoked, in: &call.work)
            return .done
        }
        sharing.become(.revoked, at: call.tx.now)
        try call.tx.sharings.save(sharing)
        try SharingPush.notify(sharing, in: &call.work)
        return .done
    }

    @Sendable
    private static func transfer(_ call: inout Call) throws -> Reply {
        let heir = try call.fields.uid()
        let binding = try DeviceMethods.binding(call)
        // Expired guests' bindings are ended first. These guests then no longer count as users of the device.
        try BindingExpiry.endGuests(of: binding.did, in: &call.work)
        let bindings = try Bindings(of: binding.did, by: call.actor(), in: call.work)
        let change = try BindingRules.decide(.transfer(to: heir), by: binding.uid, among: bindings.present)
        try bindings.carryOut(change, because: .transferred, in: &call.work)
        return .done
    }
}
