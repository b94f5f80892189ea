import Domain
import Storage
import Wire

/// The announcement of ended sessions to terminals and the gate.
enum SessionTermination {
    /// Notifies the user's terminals of the end of a session.
    ///
    /// The ended session's terminal is notified too, and the gate then closes the terminal's connection. Both steps are
    /// omitted if a login has replaced the session, or if the terminal has a new session.
    static func announce(_ session: Session, _ notice: SessionNotice, in work: inout UnitOfWork) throws {
        let isTerminalFree = try work.tx.sessions.live(on: session.terminal) == nil
        if isTerminalFree, notice.reason.isToldToTerminal {
            work.effects.publish(
                SessionCodec.ended(session, notice: notice),
                to: work.topics.terminal(session.app, session.terminal, leaf: "session")
            )
            work.effects.observed.addRevocation(since: session.endedAt ?? work.now)
            let order = SystemCodec.gate([.revokeSession(session.id, session.terminal)])
            work.effects.publish(order, to: Topics.gateControl)
        }
        let (reason, ts, actor) = (notice.reason, notice.ts, notice.actor)
        let payload = SessionCodec.terminalNotice("terminalLoggedOut", session, reason: reason, ts: ts, actor: actor)
        work.effects.publish(payload, to: work.topics.user(session.uid, "session"))
    }
}
