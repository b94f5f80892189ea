package import Domain
import JSON

/// An encoder of invitations as the inviter or the guest sees them (`schemas/methods/share.schema.json`).
package enum SharingCodec {
    /// The accounts of the inviter and the guest; nil for a person whose account is unknown or deleted.
    package typealias Sides = (inviter: User?, guest: User?)

    /// Returns an invitation as the inviter or the guest sees it, with the other user's names masked.
    ///
    /// The inviter sees the guest's identity only after the guest has accepted. `alias` is the inviter's name for the
    /// device, by which the guest recognises the device.
    package static func row(
        _ sharing: Sharing,
        _ sides: Sides,
        for reader: UserID,
        productName: String?,
        alias: String?,
        at now: Instant
    ) -> AnswerRow {
        let isInviter = reader == sharing.inviter
        return JSONObject(showing: [
            "sharingId": sharing.id, "did": sharing.did, "productName": productName,
            "alias": alias.flatMap { $0.isEmpty ? nil : $0 }, "way": sharing.way.rawValue,
            "access": sharing.access.rawValue, "guestMinutes": sharing.guestMinutes,
            "status": sharing.status(at: now).rawValue, "createdAt": sharing.createdAt, "expiresAt": sharing.expiresAt,
            "updatedAt": sharing.updated(at: now), "acceptedAt": sharing.acceptedAt,
            "inviter": isInviter ? own(sides.inviter, reader) : inviter(sides.inviter, sharing.inviter),
            "guest": isInviter ? guest(sharing, sides.guest) : own(sides.guest, reader),
        ]).shown
    }

    /// Returns the answer to `share/preview`, which is a row with the device's product and presence added.
    package static func preview(_ row: AnswerRow, productKey: ProductKey?, isOnline: Bool?) -> Answer {
        var answer = row.objectValue ?? [:]
        answer["productKey"] = productKey.map { .string($0.text) }
        answer["online"] = isOnline.map { .bool($0) }
        return answer
    }

    /// Returns the answer to `share/answer`.
    package static func answered(_ sharing: Sharing) -> Answer {
        JSONObject(showing: ["sharingId": sharing.id, "did": sharing.did, "status": sharing.status.rawValue])
    }

    /// An invitation's QR code as text, as SVG, and as PNG in base64.
    package typealias Code = (text: String, svg: String, png: String)

    /// Returns the answer to `share/invite`, with `code` for an invitation by QR code.
    package static func invited(_ sharing: Sharing, code: Code?) -> Answer {
        JSONObject(showing: [
            "sharingId": sharing.id, "expiresAt": sharing.expiresAt,
            "qrCode": code.map { JSONObject(showing: ["text": $0.text, "svg": $0.svg, "png": $0.png]) },
        ])
    }

    private static func own(_ user: User?, _ uid: UserID) -> JSONObject {
        ["uid": .string(uid.text), "nickname": .string(user?.nickname ?? "")]
    }

    private static func inviter(_ user: User?, _ uid: UserID) -> JSONObject {
        [
            "uid": .string(uid.text), "nickname": nickname(user),
            "username": (user?.ownsUsername == true ? user?.username : nil)
                .map { .string(MaskedAddress.name($0)) },
            "phone": (user?.isPhoneVerified == true ? user?.phone : nil)
                .map { .string(MaskedAddress.text($0.text)) },
            "email": (user?.isEmailVerified == true ? user?.email : nil)
                .map { .string(MaskedAddress.text($0.text)) },
        ]
    }

    private static func guest(_ sharing: Sharing, _ user: User?) -> JSONObject {
        var shown = JSONObject()
        if let addressee = sharing.addressee {
            shown["type"] = .string(addressee.kind.rawValue)
            shown["value"] = .string(addressee.masked)
        }
        if sharing.acceptedAt != nil, let guest = sharing.guest {
            shown["uid"] = .string(guest.text)
            shown["nickname"] = nickname(user)
        }
        return shown
    }

    private static func nickname(_ user: User?) -> JSONValue? {
        guard let name = user?.nickname, !name.isEmpty else { return nil }
        return .string(MaskedAddress.name(name))
    }
}
