package import Domain
import Sodium

/// Sent codes, and the tickets issued for some of them.
///
/// Codes, addresses and tickets are stored only as hashes. Codes and addresses are hashed with the server's key, and
/// tickets with SHA-256. There is one code for each purpose and address. A newer code replaces the previous code.
package struct CodeTable: TransactionTable {
    let transaction: Transaction

    private func hash(_ scope: CodeScope) -> [UInt8] {
        transaction.hash(
            "\(scope.purpose.rawValue) \(scope.address.key)",
            boundTo: "code \(scope.app.text) \(scope.region)"
        )
    }

    private func hash(_ code: String, _ scope: CodeScope) -> [UInt8] {
        transaction.hash(
            code,
            boundTo: "code \(scope.app.text) \(scope.region) \(scope.purpose.rawValue) " + scope.address.key
        )
    }

    // MARK: Codes

    /// Stores a code in place of the previous one.
    package func save(_ code: String, for scope: CodeScope, token: String, expiresAt: Instant) throws {
        try sql.run(
            CodeRow.table.upsert,
            CodeRow(scope: hash(scope), codeHash: hash(code, scope), token: token, sentAt: now, expiresAt: expiresAt)
        )
    }

    /// Counts an attempt to enter a code, or returns false if no attempt was left.
    ///
    /// The attempt is counted in one transaction, and the code is compared in a later transaction. Attempts with the
    /// code's token have a separate limit. Attempts without the token can't use up that limit.
    package func countTry(_ scope: CodeScope, token: String?, max: Int) throws -> Bool {
        if let token, try hasToken(scope, token) {
            // The statement compares the token again. A newer code may have replaced the code after `hasToken` read the
            // token.
            try sql.run(
                "UPDATE code SET tokenTries = tokenTries + 1 WHERE scope = $1 AND tokenTries < $2 AND codeToken = $3",
                hash(scope),
                max,
                token
            )
        } else {
            try sql.run("UPDATE code SET tries = tries + 1 WHERE scope = $1 AND tries < $2", hash(scope), max)
        }
        return try sql.changes == 1
    }

    /// Returns whether a token belongs to the code that was sent last.
    private func hasToken(_ scope: CodeScope, _ token: String) throws -> Bool {
        try sql.find(CodeRow.table, hash(scope)).map { Sodium.areEqual(Array(token.utf8), Array($0.token.utf8)) }
            ?? false
    }

    /// Returns whether the code that was sent last is still valid and unused.
    package func isOut(_ scope: CodeScope) throws -> Bool {
        try sql.integer(
            "SELECT 1 FROM code WHERE scope = $1 AND usedAt IS NULL AND expiresAt > $2",
            hash(scope),
            now
        ) != nil
    }

    /// Returns whether a code, and the token if given, match a valid, unused code.
    package func matches(_ code: String, token: String?, for scope: CodeScope) throws -> Bool {
        let given = hash(code, scope)
        let row = try sql.rows(
            of: CodeRow.table,
            "WHERE scope = $1 AND usedAt IS NULL AND expiresAt > $2",
            hash(scope),
            now
        ).first
        guard let row, Sodium.areEqual(row.codeHash, given) else { return false }
        return token.map { Sodium.areEqual(Array($0.utf8), Array(row.token.utf8)) } ?? true
    }

    /// Uses up a code, or returns false; of several calls with the same code, at most one returns true.
    package func use(_ code: String, token: String?, for scope: CodeScope) throws -> Bool {
        guard try matches(code, token: token, for: scope) else { return false }
        return try sql.rowsChanged(
            // The statement compares the hash again. A newer code may have replaced the code after `matches` read the
            // hash.
            "UPDATE code SET usedAt = $1 WHERE scope = $2 AND usedAt IS NULL AND codeHash = $3",
            now,
            hash(scope),
            hash(code, scope)
        ) == 1
    }

    /// Voids the code of a scope, if the scope has a code.
    package func void(_ scope: CodeScope) throws { try sql.run("DELETE FROM code WHERE scope = $1", hash(scope)) }

    /// Voids the codes with the given purposes for all of a user's verified addresses.
    package func void(_ purposes: [CodePurpose], of user: User) throws {
        for address in user.verifiedAddresses {
            for purpose in purposes {
                try void(CodeScope(app: user.app, region: user.region, purpose: purpose, address: address))
            }
        }
    }

    // MARK: Tickets

    /// Makes a ticket for an address and a terminal, and stores only its hash.
    package func makeTicket(for scope: CodeScope, on terminal: TerminalID, expiresAt: Instant) throws -> String {
        let ticket = Sodium.randomSecret()
        let row = TicketRow(
            ticketHash: Sodium.sha256(ticket.utf8),
            scope: hash(scope, on: terminal),
            expiresAt: expiresAt
        )
        try sql.run(TicketRow.table.insert, row)
        return ticket
    }

    /// Uses up a ticket, or returns false; of several calls with the same ticket, at most one returns true.
    package func useTicket(_ ticket: String, for scope: CodeScope, on terminal: TerminalID) throws -> Bool {
        try sql.rowsChanged(
            "UPDATE ticket SET usedAt = $1 WHERE ticketHash = $2 AND scope = $3 AND usedAt IS NULL AND expiresAt > $1",
            now,
            Sodium.sha256(ticket.utf8),
            hash(scope, on: terminal)
        ) == 1
    }

    /// Returns whether a ticket is valid for a scope's address.
    package func matchesTicket(_ ticket: String, for scope: CodeScope, on terminal: TerminalID) throws -> Bool {
        try sql.integer(
            "SELECT 1 FROM ticket WHERE ticketHash = $1 AND scope = $2 AND usedAt IS NULL AND expiresAt > $3",
            Sodium.sha256(ticket.utf8),
            hash(scope, on: terminal),
            now
        ) != nil
    }

    /// Returns the hash of a ticket's terminal and address; the scope's purpose doesn't affect the hash.
    private func hash(_ scope: CodeScope, on terminal: TerminalID) -> [UInt8] {
        transaction.hash("\(terminal.text) \(scope.address.key)", boundTo: "ticket \(scope.app.text) \(scope.region)")
    }
}
