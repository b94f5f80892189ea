import Domain
import Storage
import Wire

/// The gate's word that a terminal connected with a refreshed token, so the one before it is over.
///
/// Every worker that looks at tokens hears it, in its turn among the requests: one that the terminal
/// sends afterwards with the old token finds it ended, whichever worker it is for.
enum TokenUse {
    /// The topic that it comes on.
    static func filter(_ topics: Topics) -> String { topics.system("token-used") }

    /// Ends the old token.
    static func note(_ message: Inbound, in tx: Transaction, owed: inout Owed) throws {
        do {
            let used = try SessionCodec.decode(tokenUsed: message.payload)
            guard let session = try tx.sessions.find(used.session) else { return }
            try tx.sessions.endOldToken(of: session, until: used.until)
        } catch let error as WireError {
            owed.putAside(message, unreadable: error)
        }
    }
}
