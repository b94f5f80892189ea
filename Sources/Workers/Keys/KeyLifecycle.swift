package import Domain
import Storage
import Wire

/// The end of API keys.
package enum KeyLifecycle {
    /// Ends a key: after the commit, the key's secret is refused, and the gate closes the key's connection.
    package static func end(_ key: APIKey, in work: inout UnitOfWork) throws {
        try work.tx.keys.end(key)
        work.effects.observed.addRevocation(since: work.now)
        work.effects.publish(SystemCodec.gate([.revokeSession(key.id, key.terminal)]), to: Topics.gateControl)
    }
}
