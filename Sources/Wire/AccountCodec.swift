package import Domain
package import JSON

/// Writes users and sessions as their owners see them (PROTOCOL 3.1).
package enum AccountCodec {
    /// A user, to himself.
    package static func encode(_ user: User) -> JSONObject {
        [
            "uid": .string(user.uid.text), "appId": .string(user.app.text),
            "region": .string(user.region), "countryCode": .string(user.countryCode),
            "nickname": .string(user.nickname), "tempUnit": .integer(user.tempUnit),
            "timezone": .string(user.timezone), "phoneVerified": false,
            "anonymous": .bool(user.isAnonymous),
            "providers": .array([]), "createdAt": .integer(user.createdAt.milliseconds),
        ]
    }

    /// A session, to its user.
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
