import Credentials
import Sodium

/// Service principals except the service's own workers.
///
/// Examples are tools, gateways, external schedulers, identity providers and the console.
package struct ServiceTable: TransactionTable {
    let transaction: Transaction

    /// The roles of service principals.
    package enum Role: String, Sendable, CaseIterable { case worker, gateway, scheduler, identity, console }

    /// Returns the names and roles of all service principals, sorted by name.
    ///
    /// A role that this version doesn't know is returned as it is stored.
    package func all() throws -> [(name: String, role: String)] {
        try sql.query("SELECT name, role FROM service ORDER BY name") { (name: $0.next(), role: $0.next()) }
    }

    /// Stores a service principal with its secret's hash, and replaces any principal of the same name.
    package func save(_ name: String, role: Role, secret: String) throws {
        let hash = Sodium.sha256(secret.utf8)
        try sql.run(
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

    /// Deletes a service principal; the gate then closes the principal's connections.
    ///
    /// Returns false if the principal doesn't exist.
    package func remove(_ name: String) throws -> Bool {
        guard try sql.rowsChanged("DELETE FROM service WHERE name = $1", name) == 1 else { return false }
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
        // A principal with an unknown role gets no rights, which is safe.
        case nil: .custom(publish: [], subscribe: [])
        }
    }
}
