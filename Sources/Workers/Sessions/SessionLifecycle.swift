package import Domain
import JSON
import Sodium
package import Storage
package import Wire

/// Begins and ends sessions, for all methods and workers.
///
/// The transaction that marks a session as ended also writes the notice of it, so the token is refused from the
/// commit on; the session worker carries out the notice.
package enum SessionLifecycle {
    /// Begins a session on the request's terminal, and ends the one that is live there.
    ///
    /// A login also undoes a pending cancellation, and, on request, takes over the devices, schedules and homes of the
    /// terminal's anonymous user.
    static func begin(
        _ call: inout Call,
        _ user: User,
        _ terminal: TerminalInfo,
        isNew: Bool
    ) throws -> Reply {
        try call.checkTerminal()
        try call.quotas.take(call.sessionQuotas)
        try call.countTerminal()
        try Cancellation.undo(user, call)
        let actor = Actor(.user, user.uid.text, terminal: call.request.terminal)
        let before = try call.tx.sessions.live(on: call.request.terminal)
        let adopted = try Adopting.answer(before, user, &call)
        if let before { try end(before, .replaced, actor: actor, &call) }
        let token = Sodium.randomSecret()
        let session = Session(
            id: SessionID(trusted: call.ids.make("s", at: call.tx.now)),
            uid: user.uid,
            app: call.app.id,
            terminal: call.request.terminal,
            platform: terminal.platform,
            os: terminal.os,
            name: terminal.name,
            loginTime: call.tx.now,
            expiresAt: call.tx.now.adding(seconds: call.sessionSeconds)
        )
        try call.tx.sessions.begin(session, token: token)
        try call.tx.audit.add(
            AuditEntry(
                kind: .loggedIn,
                uid: user.uid,
                app: session.app,
                actor: actor,
                terminal: session.terminal,
                detail: call.request.method
            )
        )
        publishLogin(of: session, actor: actor, &call)
        try pushDevices(of: session, &call)
        var shown = user
        shown.lastLoginAt = session.loginTime
        var result: JSONObject = [
            "user": call.shown(shown), "token": .string(token),
            "sessionId": .string(session.id.text),
            "expiresAt": .integer(session.expiresAt.milliseconds), "isNew": .bool(isNew),
        ]
        if let (name, value) = adopted { result[name] = value }
        return .result(result, isSecret: true)
    }

    private static func publishLogin(of session: Session, actor: Actor, _ call: inout Call) {
        let payload = SessionCodec.told(
            "terminalLoggedIn",
            session,
            reason: nil,
            ts: call.tx.now,
            actor: actor
        )
        call.effects.publish(OutboundMessage(call.topics.user(session.uid, "session"), payload))
    }

    /// Sends a terminal that has just logged in the list of its user's devices.
    private static func pushDevices(of session: Session, _ call: inout Call) throws {
        let list = try DeviceMethods.list(
            of: session.uid,
            products: nil,
            offset: 0,
            limit: Int(call.limits.pageDefault),
            call
        )
        call.effects.publish(
            OutboundMessage(
                call.topics.terminal(session.app, session.terminal, "devices"),
                list.encoded()
            )
        )
    }

    // MARK: Ending

    /// Ends a session on behalf of a request.
    static func end(
        _ session: Session,
        _ reason: Session.EndReason,
        actor: Actor,
        _ call: inout Call
    ) throws {
        let topics = call.topics
        try end(
            session,
            reason,
            actor: actor,
            topics,
            &call.ids,
            in: call.tx,
            effects: &call.effects
        )
    }

    /// Ends all of a user's sessions but one terminal's on behalf of a request; returns their number.
    @discardableResult
    static func endAll(
        of uid: UserID,
        except spared: TerminalID? = nil,
        reason: Session.EndReason,
        actor: Actor,
        _ call: inout Call
    ) throws -> Int {
        try endAll(
            of: uid,
            except: spared,
            reason: reason,
            actor: actor,
            call.topics,
            &call.ids,
            in: call.tx,
            effects: &call.effects
        )
    }

    /// Ends a session and leaves the notice of it to the session worker.
    package static func end(
        _ session: Session,
        _ reason: Session.EndReason,
        actor: Actor,
        _ topics: Topics,
        _ ids: inout IDSource,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        var session = session
        try tx.sessions.end(&session, reason)
        try note(session, reason, by: actor, in: tx)
        let notice = SessionNotice(
            id: MessageID(trusted: ids.make("n", at: tx.now)),
            scope: .session(session.id),
            reason: reason,
            ts: tx.now,
            actor: actor
        )
        effects.publish(
            OutboundMessage(topics.system("session-invalid"), SessionCodec.encode(notice))
        )
    }

    /// Notes the end of a session and its actor in the audit trail.
    static func note(
        _ session: Session,
        _ reason: Session.EndReason,
        by actor: Actor,
        in tx: Transaction
    ) throws {
        try tx.audit.add(
            AuditEntry(
                kind: .sessionEnded,
                uid: session.uid,
                app: session.app,
                actor: actor,
                terminal: session.terminal,
                detail: reason.rawValue
            )
        )
    }

    /// Ends all of a user's sessions but one terminal's; returns their number.
    @discardableResult
    package static func endAll(
        of uid: UserID,
        except spared: TerminalID? = nil,
        reason: Session.EndReason,
        actor: Actor,
        _ topics: Topics,
        _ ids: inout IDSource,
        in tx: Transaction,
        effects: inout Effects
    ) throws -> Int {
        let sessions = try tx.sessions.live(of: uid).filter { $0.terminal != spared }
        for session in sessions {
            try end(session, reason, actor: actor, topics, &ids, in: tx, effects: &effects)
        }
        return sessions.count
    }
}

/// The app's description of the terminal that logs in.
struct TerminalInfo: Sendable, Equatable {
    var platform: String
    var os: String
    var name: String

    /// Reads a request's fields.
    init(_ fields: Fields) throws(Rejection) {
        platform = try fields.text("platform", length: 0...64) ?? ""
        os = try fields.text("os", length: 0...64) ?? ""
        name = try fields.text("name", length: 0...128) ?? ""
    }
}
