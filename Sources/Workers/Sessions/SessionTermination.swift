import Domain
import Storage
import Wire

/// The announcement of ended sessions to terminals and the gate.
enum SessionTermination {
    /// Notifies the user's terminals of the end of a session.
    ///
    /// Unless a new session has begun on the session's terminal, that terminal is also notified and the gate closes its
    /// connection.
    static func announce(_ session: Session, _ notice: SessionNotice, in work: inout UnitOfWork) throws {
        let isTerminalFree = try work.tx.sessions.live(on: session.terminal) == nil
        if isTerminalFree, notice.reason.isToldToTerminal {
            work.effects.publish(
                SessionCodec.ended(session, notice: notice),
                to: work.topics.terminal(session.app, session.terminal, leaf: "session")
            )
            work.effects.observed.addRevocation(since: session.endedAt ?? work.now)
            work.effects.publish(
                SystemCodec.gate([.revokeSession(session.id, session.terminal)]),
                to: Topics.gateControl
            )
        }
        work.effects.publish(
            OutboundMessage(
                work.topics.user(session.uid, "session"),
                SessionCodec.terminalNotice(
                    "terminalLoggedOut",
                    session,
                    reason: notice.reason,
                    ts: notice.ts,
                    actor: notice.actor
                )
            )
        )
    }
}
