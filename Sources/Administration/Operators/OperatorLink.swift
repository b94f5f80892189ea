package import Domain
import Sodium
package import Storage

/// A one-time link to the console.
package struct OperatorLink: Sendable {
    /// The name of the operator who signs in with the link.
    package let name: String
    /// The operator's role.
    package let role: OperatorRole
    /// The moment at which an unused link expires.
    package let expiresAt: Instant
    private let token: String

    /// The name of the operator who signs in with the first link or a link from `lamplighter console`.
    package static let firstName = "admin"

    /// Creates a link for an operator.
    ///
    /// If the name is new, adds an operator with the given role. An existing operator keeps their role.
    ///
    /// - Throws: `Rejection` if the name is invalid or there are too many operators.
    package static func make(of name: String, role: OperatorRole, in tx: Transaction) throws -> OperatorLink {
        guard Operator.accepts(name: name) else {
            throw Rejection.invalid("name", "A name has 1 to 64 characters of A-Z a-z 0-9 _ -.")
        }
        let row: Operator
        if let found = try tx.operators.find(name) {
            row = found
        } else {
            guard try tx.operators.count() < Int64(Operator.countMax) else {
                throw Rejection(.tooManyRequests, "There are already \(Operator.countMax) operators; remove one first.")
            }
            row = Operator(name: name, role: role, createdAt: tx.now)
            try tx.operators.save(row)
        }
        // The token has 128 random bits.
        let token = Sodium.base64URL(Sodium.randomBytes(16))
        try tx.operators.addLink(token: token, of: name)
        let end = tx.now.adding(seconds: OperatorSignIn.linkSeconds)
        return OperatorLink(name: name, role: row.role, expiresAt: end, token: token)
    }

    /// Returns the URL of the link.
    ///
    /// Browsers never send the part after `#` to a server. So the token reaches neither logs nor other pages.
    package func url(at base: String) -> String { "\(base)/console/#enter=\(token)" }
}
