package import Domain
import Sodium
import Storage
import Wire

/// The beginning and end of sessions, for all methods and workers.
///
/// The transaction that marks a session as ended also publishes a notice of the end. After the commit, the token is
/// refused. The session worker announces the end when it receives the notice. The reference describes the rules
/// (sessions#end).
package enum SessionLifecycle {
    /// Begins a session on the request's terminal, and ends the terminal's previous session.
    ///
    /// A login also undoes a pending cancellation of the account. On request, the login adopts the devices of the
    /// terminal's anonymous user.
    static func begin(for user: User, on terminal: TerminalInfo, isNew: Bool, _ call: inout Call) throws -> Reply {
        try call.checkTerminal()
        try call.quotas.take(call.sessionQuotas)
        try call.countTerminal()
        try Cancellation.undo(user, call)
        let actor = Actor(.user, user.uid.text, terminal: call.request.terminal)
        let before = try call.tx.sessions.live(on: call.request.terminal)
        let adopted = try Adopting.answer(before, adoptedBy: user, &call)
        if let before { try end(before, because: .replaced, by: actor, in: &call.work) }
        let (session, token) = try begin(
            of: user.uid,
            on: call.request.terminal,
            terminal,
            id: SessionID(trusted: call.work.makeID("s")),
            until: call.tx.now.adding(seconds: call.sessionSeconds),
            by: actor,
            in: &call
        )
        try pushDevices(of: session, &call)
        var shown = user
        shown.lastLoginAt = session.loginTime
        let answer = SessionCodec.begun(session, token: token, user: call.shown(shown), isNew: isNew, adoption: adopted)
        return .result(answer, isSecret: true)
    }

    /// Stores, audits and announces a new session, and returns it with its token.
    static func begin(
        of uid: UserID,
        on terminal: TerminalID,
        _ info: TerminalInfo,
        id: SessionID,
        until end: Instant,
        by actor: Actor,
        in call: inout Call
    ) throws -> (Session, token: String) {
        let token = Sodium.randomSecret()
        let session = Session(
            id: id,
            uid: uid,
            app: call.app.id,
            terminal: terminal,
            platform: info.platform,
            os: info.os,
            name: info.name,
            loginTime: call.tx.now,
            expiresAt: end
        )
        try call.tx.sessions.begin(session, token: token)
        try call.tx.audit.add(AuditEntry(.loggedIn, session, by: actor, detail: call.request.method))
        publishLogin(of: session, by: actor, in: &call.work)
        return (session, token)
    }

    private static func publishLogin(of session: Session, by actor: Actor, in work: inout UnitOfWork) {
        let payload = SessionCodec.terminalNotice("terminalLoggedIn", session, reason: nil, ts: work.now, actor: actor)
        work.effects.publish(OutboundMessage(work.topics.user(session.uid, "session"), payload))
        work.log(.sessionStarted, of: session, actor: actor, data: payload)
    }

    /// Sends the list of the user's devices to a terminal that has just logged in.
    private static func pushDevices(of session: Session, _ call: inout Call) throws {
        let page = PageRange(offset: 0, limit: Int(call.limits.pageDefault))
        let list = try DeviceMethods.list(of: session.uid, products: nil, page: page, call)
        let topic = call.topics.terminal(session.app, session.terminal, leaf: "devices")
        call.work.effects.publish(AnswerCodec.payload(list), to: topic)
    }

    // MARK: Ending

    /// Ends a session, and publishes a notice for the session worker.
    package static func end(
        _ session: Session,
        because reason: Session.EndReason,
        by actor: Actor,
        in work: inout UnitOfWork
    ) throws {
        var session = session
        try markEnded(&session, because: reason, by: actor, in: &work)
        publishNotice(of: session, because: reason, by: actor, in: &work)
    }

    /// Ends a session whose account is erased in the same transaction, and announces the end immediately.
    ///
    /// The notice is for outside services. The session worker ignores the notice, since it no longer finds the session.
    static func endForGood(_ session: Session, by actor: Actor, in work: inout UnitOfWork) throws {
        let reason = Session.EndReason.accountCancelled
        var session = session
        try markEnded(&session, because: reason, by: actor, in: &work)
        let notice = publishNotice(of: session, because: reason, by: actor, in: &work)
        _ = try work.tx.sessions.claim(notice: notice.id)
        try SessionTermination.announce(session, notice, in: &work)
    }

    /// Ends a user's sessions except the one on terminal `spared`, and returns how many sessions it ended.
    @discardableResult
    package static func endAll(
        of uid: UserID,
        except spared: TerminalID? = nil,
        because reason: Session.EndReason,
        by actor: Actor,
        in work: inout UnitOfWork
    ) throws -> Int {
        let sessions = try work.tx.sessions.live(of: uid).filter { $0.terminal != spared }
        for session in sessions { try end(session, because: reason, by: actor, in: &work) }
        return sessions.count
    }

    /// Marks a session as ended, and records this in the audit trail and event log.
    static func markEnded(
        _ session: inout Session,
        because reason: Session.EndReason,
        by actor: Actor,
        in work: inout UnitOfWork
    ) throws {
        try work.tx.sessions.end(&session, reason)
        let data = SessionCodec.terminalNotice("terminalLoggedOut", session, reason: reason, ts: work.now, actor: actor)
        work.log(.sessionEnded, of: session, actor: actor, data: data)
        try work.tx.audit.add(AuditEntry(.sessionEnded, session, by: actor, detail: reason.rawValue))
    }

    @discardableResult
    private static func publishNotice(
        of session: Session,
        because reason: Session.EndReason,
        by actor: Actor,
        in work: inout UnitOfWork
    ) -> SessionNotice {
        let id = MessageID(trusted: work.makeID("n"))
        let notice = SessionNotice(id: id, scope: .session(session.id), reason: reason, ts: work.now, actor: actor)
        work.effects.publish(OutboundMessage(work.topics.system("session-invalid"), SessionCodec.encode(notice)))
        return notice
    }
}

extension AuditEntry {
    /// Makes an entry about a session.
    fileprivate init(_ kind: Kind, _ session: Session, by actor: Actor, detail: String) {
        let terminal = session.terminal
        self.init(kind: kind, uid: session.uid, app: session.app, actor: actor, terminal: terminal, detail: detail)
    }
}
