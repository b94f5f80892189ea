import Domain
import Sodium
import Storage
import Wire

/// The methods `session/…`, about the sessions of a user (`schemas/methods/session.schema.json`).
///
/// The account worker answers these methods; the session worker only carries out the ends of sessions.
enum SessionMethods {
    static let all: [String: Method] = [
        "session/list": Method(isReading: true, run: list), "session/refresh": Method(locks: .user, run: refresh),
        "session/logoutCode": LogoutCodeMethod.method, "session/terminate": Method(locks: .user, run: terminate),
        "session/terminateOthers": Method(locks: .user, run: terminateOthers),
    ]

    @Sendable
    private static func list(_ call: inout Call) throws -> Reply {
        let own = try call.caller()
        let rows = try call.tx.sessions.live(of: own.uid)
            .filter { $0.refusal(at: call.tx.now) == nil }
            .reversed().map { SessionCodec.row($0, isCurrent: $0.id == own.id) }
        return .result(SessionCodec.list(rows))
    }

    // MARK: Refreshing

    /// Replaces the session's token with a new token.
    ///
    /// A second refresh with the old token is refused.
    @Sendable
    private static func refresh(_ call: inout Call) throws -> Reply {
        var session = try call.caller()
        let token = Sodium.randomSecret()
        let isNewest = try call.tx.sessions.refresh(
            &session,
            from: call.request.token ?? "",
            to: token,
            lifeSeconds: call.sessionSeconds
        )
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

    /// Refuses a wrong logout code, and records the failure in the audit trail.
    private static func refuseCode(_ call: Call) throws -> Reply {
        try call.audit(.codeFailed, of: call.caller().uid, detail: call.request.name)
        return .refusal(
            Rejection(
                .invalidCode,
                "The logout code is wrong, too old or used; get a new one with session/logoutCode.",
                field: "params.logoutCode"
            )
        )
    }
}
