import Credentials
import Sodium

/// Service principals besides our own workers: tools, gateways, outside schedulers.
package struct ServiceTable {
    let transaction: Transaction

    /// The roles that the contract names.
    package enum Role: String, Sendable, CaseIterable {
        case worker, gateway, scheduler, identity
    }

    /// Stores a principal with its secret, in the place of one of the same name.
    package func save(_ name: String, role: Role, secret: String) throws {
        let hash = Sodium.sha256(secret.utf8)
        try transaction.sql.run(
            """
            INSERT INTO service (name, role, secretHash) VALUES ($1, $2, $3)
            ON CONFLICT (name) DO UPDATE SET
                role = excluded.role, secretHash = excluded.secretHash
            """
        ) {
            $0.add(name)
            $0.add(role.rawValue)
            $0.add(bytes: hash)
        }
        guard let digest = Digest(hash) else { return }
        transaction.gate.records.append(
            .service(name: name, secret: digest, role: Self.role(role.rawValue))
        )
    }

    static func role(_ text: String) -> Credentials.Role {
        switch Role(rawValue: text) {
        case .worker: .worker
        case .gateway: .gateway
        case .scheduler: .scheduler
        case .identity: .identity
        // Nothing at all is the safe reading of a word that nobody knows.
        case nil: .custom(publish: [], subscribe: [])
        }
    }
}
