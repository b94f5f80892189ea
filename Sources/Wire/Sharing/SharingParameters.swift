package import Domain

/// The parameters of `share/list`.
package struct SharingListParameters: Sendable, Equatable {
    private enum Side: String, CaseIterable {
        case toMe, byMe
    }

    /// Whether those to the caller are wanted, instead of those by the caller.
    package let isGuest: Bool
    /// The device that they concern; nil for any.
    package let did: DeviceID?

    /// Reads `type` and `did`.
    package init(_ fields: Fields) throws(Rejection) {
        guard let side = try fields.word("type", as: Side.self) else {
            throw fields.refuse("type", "is missing: toMe or byMe")
        }
        isGuest = side == .toMe
        did = try fields.id("did", as: DeviceID.self)
    }
}

/// The name of an invitation in `share/preview` and `share/answer`.
package enum SharingName: Sendable, Equatable {
    case id(SharingID)
    /// The text of a QR code.
    case code(String)

    /// Reads `sharingId` or `qrText`.
    package init(_ fields: Fields) throws(Rejection) {
        let id = try fields.id("sharingId", as: SharingID.self)
        let text = try fields.text("qrText", length: 1...256)
        switch (id, text) {
        case (let id?, nil): self = .id(id)
        case (nil, let text?): self = .code(text)
        case (nil, nil): throw fields.refuse("sharingId", "or params.qrText is missing")
        case (_?, _?): throw fields.refuse("qrText", "stands in place of params.sharingId")
        }
    }
}

/// The parameters of `share/answer`: the answer, and what it is to.
package struct SharingAnswerParameters: Sendable, Equatable {
    /// Whether the invitation is accepted.
    package let accepts: Bool
    /// The invitation.
    package let invitation: SharingName

    /// Reads `accept`, and `sharingId` or `qrText`.
    package init(_ fields: Fields) throws(Rejection) {
        accepts = try fields.requiredBool("accept")
        invitation = try SharingName(fields)
    }
}

/// The parameters of `share/invite`, without the device.
package struct InvitationParameters {
    /// The kind of the invitation.
    package let way: Sharing.Way
    /// What the guest may do.
    package let access: Binding.Access
    /// How long the guest may do it, in minutes; nil for ever.
    package let guestMinutes: Int64?
    private let guest: Fields?

    /// Reads `way`, `access`, `guestMinutes` and `guest`.
    package init(_ fields: Fields) throws(Rejection) {
        guard let way = try fields.word("way", as: Sharing.Way.self) else {
            throw fields.refuse("way", "is missing: user or qrcode")
        }
        self.way = way
        access = try fields.word("access", as: Binding.Access.self) ?? .control
        guestMinutes = try fields.integer("guestMinutes", in: SharingRules.guestMinutes)
        guest = try fields.fields("guest")
        if way == .user, guest == nil { throw fields.refuse("guest", "is missing") }
        if way == .qrcode, guest != nil {
            throw fields.refuse(
                "guest",
                "must be absent: any user who scans the code may answer it"
            )
        }
    }

    /// Reads `guest`, the name of the user who is invited; nil for a code, which any user may scan.
    ///
    /// A phone is one of `countryCode`, or of the inviter's country.
    package func invitedName(
        ofCountry countryCode: String
    ) throws(Rejection) -> InvitedName? {
        guard let guest else { return nil }
        return try InvitedName(guest, countryCode: countryCode)
    }
}
