package import Domain
package import JSON

/// An encoder that turns users and sessions into answers and messages (`schemas/methods/account.schema.json`).
package enum AccountCodec {
    /// Returns a user's account as the user sees it, with URLs below `publicURL`.
    package static func encode(_ user: User, _ policies: AppPolicies, publicURL: String) -> JSONObject {
        var object: JSONObject = [
            "uid": .string(user.uid.text), "appId": .string(user.app.text), "region": .string(user.region),
            "countryCode": .string(user.countryCode), "nickname": .string(user.nickname),
            "tempUnit": .integer(user.tempUnit), "timezone": .string(user.timezone),
        ]
        for member in ProfileCodec.encode(user.profile).members { object[member.key] = member.value }
        object["externalUid"] = user.externalUID.map { .string($0) }
        object["username"] = user.username.map { .string($0) }
        object["phone"] = user.phone.map { .string($0.text) }
        object["phoneVerified"] = .bool(user.phone != nil && user.isPhoneVerified)
        if let email = user.email {
            object["email"] = .string(email.text)
            // A new address in `pendingEmail` hasn't been verified yet. Until its verification, the user logs in with
            // the former address.
            let isVerified = user.isEmailVerified && user.pendingEmail == nil
            if policies.emailVerification { object["emailVerified"] = .bool(isVerified) }
        }
        object["pendingPhone"] = pendingPhone(of: user).map { .string($0.text) }
        object["pendingEmail"] = pendingEmail(of: user).map { .string($0.text) }
        object["avatarUrl"] = avatarURL(of: user, publicURL: publicURL).map { .string($0) }
        object["anonymous"] = .bool(user.isAnonymous)
        object["providers"] = .array(user.providers.map { .string($0) })
        object["createdAt"] = .integer(user.createdAt.milliseconds)
        object["lastLoginAt"] = .integer((user.lastLoginAt ?? user.createdAt).milliseconds)
        return object
    }

    /// Returns the answer to a request that changed a user.
    ///
    /// Such a request can contain profile fields too. If these fields were refused but the rest of the request was
    /// carried out, the answer contains the refusal as `profileError`.
    package static func changed(_ user: Answer, profileError: Rejection? = nil) -> Answer {
        ["user": .object(user), "profileError": profileError.map { AnswerCodec.error($0) }]
    }

    /// Returns the answer to `account/whoami`.
    package static func whoami(_ user: Answer, _ session: Session) -> Answer {
        ["user": .object(user), "session": .object(encode(session))]
    }

    /// Returns the answer to `account/setAvatar`, which contains the URL of the picture.
    package static func avatar(of user: User, publicURL: String) -> Answer {
        ["avatarUrl": .string(avatarURL(of: user, publicURL: publicURL) ?? "")]
    }

    /// Returns the answer to `account/checkPassword`.
    package static func compared(isMatch: Bool) -> Answer { ["match": .bool(isMatch)] }

    /// Returns the answer to `account/cancel`.
    package static func cancelled(until deletesAt: Instant) -> Answer {
        ["deletesAt": .integer(deletesAt.milliseconds)]
    }

    /// Returns a row of `account/providers`, with the provider's `token` if the service keeps it.
    package static func provider(_ provider: String, subject: String, linkedAt: Instant, token: String?) -> AnswerRow {
        .object([
            "provider": .string(provider), "subject": .string(subject),
            "linkedAt": .integer(linkedAt.milliseconds),
            "accessToken": token.map { .string($0) },
        ])
    }

    /// Returns the answer to `account/providers`.
    package static func providers(_ rows: [AnswerRow]) -> Answer { ["providers": .array(rows)] }

    private static func pendingPhone(of user: User) -> Phone? {
        user.pendingPhone ?? (user.isPhoneVerified ? nil : user.phone)
    }

    private static func pendingEmail(of user: User) -> EmailAddress? {
        user.pendingEmail ?? (user.emailClaim == .given ? user.email : nil)
    }

    /// Returns a user's account as shown to other users.
    package static func shown(_ user: User, publicURL: String) -> JSONObject {
        [
            "uid": .string(user.uid.text), "nickname": .string(user.nickname),
            "avatarUrl": avatarURL(of: user, publicURL: publicURL).map { .string($0) },
        ]
    }

    /// Returns the URL of a user's picture, or nil if the user has no picture.
    package static func avatarURL(of user: User, publicURL: String) -> String? {
        user.avatar.map { "\(publicURL)/avatars/\($0)" } ?? user.avatarURL
    }

    /// Encodes the message that notifies a user's terminals of a changed phone number or e-mail address.
    package static func addressChanged(isPhone: Bool, of uid: UserID, ts: Instant, actor: Actor) -> [UInt8] {
        JSONObject([
            ("type", "addressChanged"), ("address", isPhone ? "phone" : "email"), ("ts", .integer(ts.milliseconds)),
            ("actor", EventCodec.encode(actor, for: uid)),
        ]).encoded()
    }

    /// Returns a session as shown to its user.
    package static func encode(_ session: Session) -> JSONObject {
        [
            "sessionId": .string(session.id.text), "terminalId": .string(session.terminal.text),
            "platform": .string(session.platform), "os": .string(session.os),
            "name": .string(session.name),
            "loginTime": .integer(session.loginTime.milliseconds),
            "expiresAt": .integer(session.expiresAt.milliseconds),
        ]
    }
}
