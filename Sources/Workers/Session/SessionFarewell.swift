import Domain
import Storage
import Wire

/// Tells everybody concerned that a session is over, and has the gate cut it off.
enum SessionFarewell {
    /// Tells the terminal, tells the user's others, and has the gate close the connection: unless
    /// another session has begun on the terminal meanwhile, which stays untouched.
    static func tell(
        _ session: Session,
        _ notice: SessionNotice,
        _ topics: Topics,
        in tx: Transaction,
        owed: inout Owed
    ) throws {
        let isTerminalFree = try tx.sessions.live(on: session.terminal) == nil
        if isTerminalFree, notice.reason != .replaced {
            owed.publish(
                OutboundMessage(
                    topics.terminal(session.app, session.terminal, "session"),
                    SessionCodec.ended(session, notice: notice)
                )
            )
            owed.publish(
                OutboundMessage(
                    Topics.gateControl,
                    SystemCodec.gate([.revokeSession(session.id, session.terminal)])
                )
            )
        }
        owed.publish(
            OutboundMessage(
                topics.user(session.uid, "session"),
                SessionCodec.told(
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
