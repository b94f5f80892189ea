package import Domain
import Storage
import Wire

/// The end of API keys.
package enum KeyLifecycle {
    /// Ends a key, and makes the gate close the key's connection after the commit.
    package static func end(_ key: APIKey, in work: inout UnitOfWork) throws {
        try work.tx.keys.end(key)
        work.effects.observed.addRevocation(since: work.now)
        work.effects.publish(SystemCodec.gate([.revokeSession(key.id, key.terminal)]), to: Topics.gateControl)
    }
}
