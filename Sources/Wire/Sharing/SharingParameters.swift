package import Domain

/// The parameters of `share/list`.
package struct SharingListParameters: Sendable, Equatable {
    private enum Side: String, CaseIterable {
        case toMe, byMe
    }

    /// True to list the caller's received invitations, or false to list the sent ones.
    package let isGuest: Bool
    /// The device whose invitations are listed; nil for all devices.
    package let did: DeviceID?

    /// Reads `type` and `did`.
    package init(_ fields: Fields) throws(Rejection) {
        guard let side = try fields.word("type", as: Side.self) else {
            throw fields.refuse("type", "is missing: give toMe or byMe")
        }
        isGuest = side == .toMe
        did = try fields.id("did", as: DeviceID.self)
    }
}

/// How `share/preview` and `share/answer` name an invitation.
package enum SharingName: Sendable, Equatable {
    case id(SharingID)
    /// The text of the invitation's QR code.
    case code(String)

    /// Reads `sharingId` or `qrText`.
    package init(_ fields: Fields) throws(Rejection) {
        let id = try fields.id("sharingId", as: SharingID.self)
        let text = try fields.text("qrText", length: 1...256)
        switch (id, text) {
        case (let id?, nil): self = .id(id)
        case (nil, let text?): self = .code(text)
        case (nil, nil): throw fields.refuse("sharingId", "or params.qrText is missing")
        case (_?, _?): throw fields.refuse("qrText", "can't be combined with params.sharingId")
        }
    }
}

/// The parameters of `share/answer`: the answer and the invitation.
package struct SharingAnswerParameters: Sendable, Equatable {
    /// Whether the invitation is accepted.
    package let accepts: Bool
    /// The invitation.
    package let invitation: SharingName

    /// Reads `accept`, and either `sharingId` or `qrText`.
    package init(_ fields: Fields) throws(Rejection) {
        accepts = try fields.requiredBool("accept")
        invitation = try SharingName(fields)
    }
}

/// The parameters of `share/invite`, except the device.
package struct InvitationParameters {
    /// How the invitation reaches its guest.
    package let way: Sharing.Way
    /// The guest's access.
    package let access: Binding.Access
    /// The duration of the guest's access in minutes, or nil if the access doesn't expire.
    package let guestMinutes: Int64?
    private let guest: Fields?

    /// Reads `way`, `access`, `guestMinutes` and `guest`.
    package init(_ fields: Fields) throws(Rejection) {
        guard let way = try fields.word("way", as: Sharing.Way.self) else {
            throw fields.refuse("way", "is missing: give user or qrcode")
        }
        self.way = way
        access = try fields.word("access", as: Binding.Access.self) ?? .control
        guestMinutes = try fields.integer("guestMinutes", in: SharingRules.guestMinutes)
        guest = try fields.fields("guest")
        if way == .user, guest == nil { throw fields.refuse("guest", "is missing") }
        if way == .qrcode, guest != nil {
            throw fields.refuse("guest", "must be absent: any user who scans the code may answer it")
        }
    }

    /// Reads `guest`, the invited user's name, or returns nil for an invitation by QR code.
    ///
    /// A phone number without a country code gets `countryCode`, the inviter's country code.
    package func invitedName(
        ofCountry countryCode: String
    ) throws(Rejection) -> InvitedName? {
        guard let guest else { return nil }
        return try InvitedName(guest, countryCode: countryCode)
    }
}
