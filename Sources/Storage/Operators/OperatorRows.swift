package import Domain

extension OperatorRole: StoredName {
    /// If this version doesn't know an operator's role, the operator can only read.
    static var unknown: OperatorRole { .viewer }
}

extension OperatorSession.Way: StoredName {
    static var unknown: OperatorSession.Way { .password }
}

extension Operator: TableRow {
    package static let table = Table<Operator>("operator")

    package static func map(_ column: inout ColumnMapper<Operator>) -> Operator {
        var row = Operator(
            name: column("name", \.name, as: .key),
            role: column("role", \.role, as: .changing),
            createdAt: column("createdAt", \.createdAt)
        )
        row.passwordHash = column("passwordHash", \.passwordHash, as: .apart)
        return row
    }
}

/// An operator's session, together with the hash of the token in the session's cookie.
struct OperatorSessionRow: TableRow {
    var tokenHash: [UInt8]
    var session: OperatorSession

    static let table = Table<OperatorSessionRow>("operatorSession")

    static func map(_ column: inout ColumnMapper<OperatorSessionRow>) -> OperatorSessionRow {
        let hash = column("tokenHash", \.tokenHash)
        var session = OperatorSession(
            id: column("sessionId", \.session.id, as: .key),
            name: column("name", \.session.name),
            way: column("way", \.session.way),
            address: column("address", \.session.address),
            client: column("client", \.session.client),
            createdAt: column("createdAt", \.session.createdAt)
        )
        session.seenAt = column("seenAt", \.session.seenAt)
        return OperatorSessionRow(tokenHash: hash, session: session)
    }
}

/// An operator's token, together with the hash of the token's secret.
struct OperatorTokenRow: TableRow {
    var tokenHash: [UInt8]
    var token: OperatorToken

    static let table = Table<OperatorTokenRow>("operatorToken")

    static func map(_ column: inout ColumnMapper<OperatorTokenRow>) -> OperatorTokenRow {
        let hash = column("tokenHash", \.tokenHash)
        var token = OperatorToken(
            id: column("tokenId", \.token.id, as: .key),
            label: column("label", \.token.label),
            name: column("name", \.token.name),
            role: column("role", \.token.role),
            createdAt: column("createdAt", \.token.createdAt),
            expiresAt: column("expiresAt", \.token.expiresAt)
        )
        token.usedAt = column("usedAt", \.token.usedAt)
        return OperatorTokenRow(tokenHash: hash, token: token)
    }
}
