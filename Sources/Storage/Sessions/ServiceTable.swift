import Credentials
import Sodium

/// Service principals besides our own workers: tools, gateways, outside schedulers, identity providers.
package struct ServiceTable {
    let transaction: Transaction

    /// The roles of service principals.
    package enum Role: String, Sendable, CaseIterable { case worker, gateway, scheduler, identity, console }

    /// Returns all principals, by name; a role of a later version is returned unchanged.
    package func all() throws -> [(name: String, role: String)] {
        try transaction.sql.query("SELECT name, role FROM service ORDER BY name") { (name: $0.next(), role: $0.next()) }
    }

    /// Stores a principal with its secret, in place of a principal with the same name.
    package func save(_ name: String, role: Role, secret: String) throws {
        let hash = Sodium.sha256(secret.utf8)
        try transaction.sql.run(
            """
            INSERT INTO service (name, role, secretHash) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET
                role = excluded.role, secretHash = excluded.secretHash
            """,
            name,
            role.rawValue,
            hash
        )
        guard let digest = Digest(hash) else { return }
        transaction.gate.records.append(.service(name: name, secret: digest, role: Self.role(role.rawValue)))
    }

    /// Removes a principal, whose connections the gate then closes; returns false if it doesn't exist.
    package func remove(_ name: String) throws -> Bool {
        try transaction.sql.run("DELETE FROM service WHERE name = $1", name)
        guard try transaction.sql.changes == 1 else { return false }
        transaction.gate.records.append(.removed(.service, key: name))
        return true
    }

    static func role(_ text: String) -> Credentials.Role {
        switch Role(rawValue: text) {
        case .worker: .worker
        case .gateway: .gateway
        case .scheduler: .scheduler
        case .identity: .identity
        case .console: .console
        // An unknown role has no rights, which is safe.
        case nil: .custom(publish: [], subscribe: [])
        }
    }
}
