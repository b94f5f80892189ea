import Domain
import Storage
import Wire

/// Tells terminals and the gate that a session has ended.
enum SessionTermination {
    /// Tells the terminal and the user's other terminals, and makes the gate close the connection, unless
    /// another session has begun on the terminal meanwhile.
    static func announce(
        _ session: Session,
        _ notice: SessionNotice,
        _ topics: Topics,
        in tx: Transaction,
        effects: inout Effects
    ) throws {
        let isTerminalFree = try tx.sessions.live(on: session.terminal) == nil
        if isTerminalFree, notice.reason != .replaced {
            effects.publish(
                OutboundMessage(
                    topics.terminal(session.app, session.terminal, "session"),
                    SessionCodec.ended(session, notice: notice)
                )
            )
            effects.publish(
                OutboundMessage(
                    Topics.gateControl,
                    SystemCodec.gate([.revokeSession(session.id, session.terminal)])
                )
            )
        }
        effects.publish(
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
