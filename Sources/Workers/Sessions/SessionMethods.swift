import Domain
import Sodium
import Storage
import Wire

/// The methods `session/…`, about the sessions of a user (`schemas/methods/session.schema.json`).
enum SessionMethods {
    static let all: [String: Method] = [
        "session/list": Method(isReading: true, run: list), "session/refresh": Method(locks: .user, run: refresh),
        "session/logoutCode": LogoutCodeMethod.method, "session/terminate": Method(locks: .user, run: terminate),
        "session/terminateOthers": Method(locks: .user, run: terminateOthers),
        "session/link": Method(locks: .user, run: link), "session/unlink": Method(locks: .user, run: unlink),
    ]

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let own = try call.caller()
        let addresses = try call.tx.pushAddresses.all(of: [own.uid])[own.uid] ?? []
        let rows = try call.tx.sessions.live(of: own.uid)
            .filter { $0.refusal(at: call.tx.now) == nil }
            .reversed().map { session in
                let push = addresses.first { $0.terminal == session.terminal }
                return SessionCodec.row(session, isCurrent: session.id == own.id, push: push)
            }
        return .result(SessionCodec.list(rows))
    }

    // MARK: Refreshing

    /// Replaces the session's token, but refuses a second refresh with the old token.
    @Sendable
    private static func refresh(_ call: inout Call) throws -> Reply {
        var session = try call.caller()
        let token = Sodium.randomSecret()
        let (old, seconds) = (call.request.token ?? "", call.sessionSeconds)
        let isNewest = try call.tx.sessions.refresh(&session, from: old, to: token, lifeSeconds: seconds)
        guard isNewest else { throw Rejection(.invalidToken, "The token was already refreshed.", field: "token") }
        return .result(SessionCodec.refreshed(session, token: token), isSecret: true)
    }

    // MARK: Ending others

    @Sendable
    private static func terminate(_ call: inout Call) throws -> Reply {
        let own = try call.caller()
        let terminal = try call.fields.terminalID()
        let code = try call.fields.logoutCode()
        guard terminal != own.terminal else {
            throw Rejection.invalid("params.terminalId", "This is your own terminal; log out with account/logout.")
        }
        guard let session = try call.tx.sessions.live(on: terminal), session.uid == own.uid,
            session.refusal(at: call.tx.now) == nil
        else {
            throw Rejection(.resourceNotFound, "You are not logged in on this terminal.", field: "params.terminalId")
        }
        guard try call.tx.logoutCodes.use(code, of: own.uid, on: own.terminal) else { return try refuseCode(call) }
        try SessionLifecycle.end(session, because: .terminated, by: call.actor(), in: &call.work)
        return .result(SessionCodec.terminated(terminal))
    }

    @Sendable
    private static func terminateOthers(_ call: inout Call) throws -> Reply {
        let own = try call.caller()
        let code = try call.fields.logoutCode()
        guard try call.tx.logoutCodes.use(code, of: own.uid, on: own.terminal) else { return try refuseCode(call) }
        let count = try SessionLifecycle.endAll(
            of: own.uid,
            except: own.terminal,
            because: .terminated,
            by: call.actor(),
            in: &call.work
        )
        return .result(SessionCodec.terminated(count: count))
    }

    /// Ends the session of a linked program.
    ///
    /// No logout code is needed, since ending a linked program's session can't lock the user out.
    @Sendable
    private static func unlink(_ call: inout Call) throws -> Reply {
        let id = try call.fields.sessionID()
        guard let session = try call.tx.sessions.find(id), session.uid == (try call.caller()).uid, session.isLinked,
            session.refusal(at: call.tx.now) == nil
        else {
            throw Rejection(.resourceNotFound, "You have no such linked program.", field: "params.sessionId")
        }
        try SessionLifecycle.end(session, because: .terminated, by: call.actor(), in: &call.work)
        return .done
    }

    /// Refuses a wrong logout code, and records the failure in the audit trail.
    private static func refuseCode(_ call: Call) throws -> Reply {
        try call.audit(.codeFailed, of: call.caller().uid, detail: call.request.name)
        let message = "The logout code is wrong, too old or used; get a new one with session/logoutCode."
        return .refusal(Rejection(.invalidCode, message, field: "params.logoutCode"))
    }

    // MARK: Programs that are not apps

    /// Begins a session for the user's Home Assistant, which gets a new terminal of its own.
    ///
    /// The session's token is the password with which Home Assistant connects to the broker. Home Assistant can't
    /// refresh this password as an app refreshes its token. Therefore, the session has no time limit.
    @Sendable
    private static func link(_ call: inout Call) throws -> Reply {
        let own = try call.caller()
        let name = try HomeAssistantCodec.name(call.fields)
        guard try call.tx.sessions.live(of: own.uid).count(where: \.isLink) < call.limits.homeAssistantsPerUser else {
            throw Rejection(.forbidden, "The maximum number of links is reached.")
        }
        try call.quotas.take(call.sessionQuotas)
        let terminal = TerminalID(trusted: Sodium.hex(Sodium.randomBytes(16)))
        let (session, password) = try SessionLifecycle.begin(
            of: own.uid,
            on: terminal,
            TerminalInfo(platform: Session.linkPlatform, name: name),
            id: Session.linkID(on: terminal),
            until: Session.linkEnd,
            by: call.actor(),
            in: &call
        )
        let place = call.environment.brokerPlace
        let answer = HomeAssistantCodec.linked(session, password: password, at: place, call.topics)
        return .result(answer, isSecret: true)
    }
}
