package import Domain
package import JSON

/// A codec for answers and messages about sessions.
package enum SessionCodec {
    /// Parses a notice from `system/session-invalid`.
    package static func decode(_ bytes: ArraySlice<UInt8>) throws(WireError) -> SessionNotice {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let reason = try fields.required("reason", fields.word("reason", as: Session.EndReason.self))
            let ts = try fields.required("ts", fields.instant("ts"))
            return SessionNotice(
                id: try fields.requiredID("noticeId", as: MessageID.self),
                scope: try scope(fields),
                reason: reason,
                ts: ts,
                actor: EventCodec.decode(fields.object["actor"]) ?? .system
            )
        }
    }

    private static func scope(_ fields: Fields) throws(Rejection) -> SessionNotice.Scope {
        if let session = try fields.id("sessionId", as: SessionID.self) { return .session(session) }
        if let app = try fields.id("appId", as: AppID.self) {
            return .terminal(app, try fields.requiredID("terminalId", as: TerminalID.self))
        }
        guard let uid = try fields.id("uid", as: UserID.self) else {
            throw .invalid("sessionId", "A notice must name a session, a terminal or a user.")
        }
        return .user(uid, except: try fields.id("exceptTerminalId", as: TerminalID.self))
    }

    /// Returns a row of `session/list`, with the terminal's push address, if any.
    package static func row(_ session: Session, isCurrent: Bool, push: PushAddress? = nil) -> JSONValue {
        JSONObject(showing: [
            "sessionId": session.id, "terminalId": session.terminal, "platform": session.platform, "os": session.os,
            "name": session.name, "loginTime": session.loginTime,
            "lastSeenAt": session.lastSeenAt ?? session.loginTime, "current": isCurrent, "clientId": session.client,
            "scopes": session.scopes?.map(\.text), "push": push.map(NotificationCodec.address),
        ]).shown
    }

    /// Returns the answer to `session/list`.
    package static func list(_ rows: [AnswerRow]) -> Answer { ["sessions": .array(rows)] }

    /// The effect of a login on the devices of the terminal's previous anonymous user.
    package enum Adoption: Sendable {
        /// The number of devices that moved to the account.
        case adopted(Int)
        /// The number of devices that would have moved if the request had set `adopt`.
        case adoptable(Int)
    }

    /// Returns the answer to a login, with the account as its owner sees it.
    package static func begun(
        _ session: Session,
        token: String,
        user: Answer,
        isNew: Bool,
        adoption: Adoption?
    ) -> Answer {
        var answer = JSONObject(showing: [
            "user": user, "token": token, "sessionId": session.id, "expiresAt": session.expiresAt, "isNew": isNew,
        ])
        switch adoption {
        case .adopted(let count)?: answer["adopted"] = .integer(Int64(count))
        case .adoptable(let count)?: answer["adoptable"] = .integer(Int64(count))
        case nil: break
        }
        return answer
    }

    /// Returns the answer to `session/refresh`.
    package static func refreshed(_ session: Session, token: String) -> Answer {
        ["token": .string(token), "expiresAt": .integer(session.expiresAt.milliseconds)]
    }

    /// Returns the answer to `session/logoutCode`, with the code and its lifetime in seconds.
    package static func logoutCode(_ code: String, seconds: Int64) -> Answer {
        ["logoutCode": .string(code), "expiresIn": .integer(seconds)]
    }

    /// Returns the answer to `session/terminate`.
    package static func terminated(_ terminal: TerminalID) -> Answer { ["terminated": .string(terminal.text)] }

    /// Returns the answer to `session/terminateOthers`, with the number of ended sessions.
    package static func terminated(count: Int) -> Answer { ["terminated": .integer(Int64(count))] }

    /// Parses the gate's message about the first use of a token.
    ///
    /// If the session was refreshed, `until` is the time at which the previous token expires.
    package static func decode(
        tokenUsed bytes: ArraySlice<UInt8>
    ) throws(WireError) -> (session: SessionID, until: Instant?) {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            (try fields.requiredID("sessionId", as: SessionID.self), try fields.instant("until"))
        }
    }

    /// Parses the message in which the gate says that it has closed an ended session's connections.
    package static func decode(
        sessionCut bytes: ArraySlice<UInt8>
    ) throws(WireError) -> (session: SessionID, at: Instant) {
        try Payload.read(Payload.object(bytes)) { (fields) throws(Rejection) in
            let at = try fields.required("ts", fields.instant("ts"))
            return (try fields.requiredID("sessionId", as: SessionID.self), at)
        }
    }

    /// Encodes a notice for `system/session-invalid`.
    package static func encode(_ notice: SessionNotice) -> [UInt8] {
        var object: JSONObject = ["noticeId": .string(notice.id.text)]
        switch notice.scope {
        case .session(let id): object["sessionId"] = .string(id.text)
        case .terminal(let app, let terminal):
            object["appId"] = .string(app.text)
            object["terminalId"] = .string(terminal.text)
        case .user(let uid, let except):
            object["uid"] = .string(uid.text)
            object["exceptTerminalId"] = except.map { .string($0.text) }
        }
        object["reason"] = .string(notice.reason.rawValue)
        object["ts"] = .integer(notice.ts.milliseconds)
        object["actor"] = EventCodec.encode(
            notice.actor,
            for: UserID(trusted: notice.actor.id)
        )
        return object.encoded()
    }

    /// Encodes the message that notifies a terminal of the end of its session.
    package static func ended(_ session: Session, notice: SessionNotice) -> [UInt8] {
        JSONObject(showing: [
            "type": "sessionInvalid", "sessionId": session.id, "reason": notice.reason.rawValue, "ts": notice.ts,
            "actor": EventCodec.encode(notice.actor, for: session.uid),
        ]).encoded()
    }

    /// Encodes the message `terminalLoggedIn` or `terminalLoggedOut` for the user's other terminals.
    package static func terminalNotice(
        _ type: StaticString,
        _ session: Session,
        reason: Session.EndReason?,
        ts: Instant,
        actor: Actor
    ) -> [UInt8] {
        JSONObject(showing: [
            "type": "\(type)", "terminalId": session.terminal, "platform": session.platform, "os": session.os,
            "reason": reason?.rawValue, "ts": ts, "actor": EventCodec.encode(actor, for: session.uid),
        ]).encoded()
    }
}
