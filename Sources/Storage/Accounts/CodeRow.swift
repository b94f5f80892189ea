import Domain

/// A stored verification code: its hashes, and the token that the request for the code returned.
struct CodeRow: TableRow {
    /// The hash of the code's purpose and address.
    var scope: [UInt8]
    var codeHash: [UInt8]
    var token: String
    /// The number of attempts without the token (`tokenTries` counts those with the token).
    var tries = 0
    var tokenTries = 0
    var sentAt: Instant
    var expiresAt: Instant
    var usedAt: Instant?

    static let table = Table<CodeRow>("code")

    static func map(_ column: inout ColumnMapper<CodeRow>) -> CodeRow {
        CodeRow(
            scope: column("scope", \.scope, as: .key),
            codeHash: column("codeHash", \.codeHash, as: .changing),
            token: column("codeToken", \.token, as: .changing),
            tries: column("tries", \.tries, as: .changing),
            tokenTries: column("tokenTries", \.tokenTries, as: .changing),
            sentAt: column("sentAt", \.sentAt, as: .changing),
            expiresAt: column("expiresAt", \.expiresAt, as: .changing),
            usedAt: column("usedAt", \.usedAt, as: .changing)
        )
    }
}

/// A stored ticket, of which only hashes are kept.
struct TicketRow: TableRow {
    var ticketHash: [UInt8]
    /// The hash of the ticket's terminal and address.
    var scope: [UInt8]
    var expiresAt: Instant
    var usedAt: Instant?

    static let table = Table<TicketRow>("ticket")

    static func map(_ column: inout ColumnMapper<TicketRow>) -> TicketRow {
        TicketRow(
            ticketHash: column("ticketHash", \.ticketHash, as: .key),
            scope: column("scope", \.scope),
            expiresAt: column("expiresAt", \.expiresAt),
            usedAt: column("usedAt", \.usedAt, as: .apart)
        )
    }
}
