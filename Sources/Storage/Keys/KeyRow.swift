import Domain

/// A stored API key, together with the digests of its secrets.
struct KeyRow: TableRow {
    var key: APIKey
    var tokenHash: [UInt8]
    /// The digest of the replaced secret, or nil before a rotation and after the new secret's first use.
    var oldTokenHash: [UInt8]?
    /// When the replaced secret expires, or nil if there is no replaced secret.
    var oldTokenUntil: Instant?

    static let table = Table<KeyRow>("apiKey")

    static func map(_ column: inout ColumnMapper<KeyRow>) -> KeyRow {
        var key = APIKey(
            id: column("keyId", \.key.id, as: .key),
            app: column("appId", \.key.app),
            name: column("name", \.key.name),
            terminal: column("terminalId", \.key.terminal),
            scopes: KeyScope.split(column("scopes") { KeyScope.joined($0.key.scopes) }),
            createdAt: column("createdAt", \.key.createdAt),
            expiresAt: column("expiresAt", \.key.expiresAt)
        )
        key.lastSeenAt = column("lastSeenAt", \.key.lastSeenAt)
        key.endedAt = column("endedAt", \.key.endedAt)
        let tokenHash = column("tokenHash", \.tokenHash)
        let oldTokenHash = column("oldTokenHash", \.oldTokenHash)
        key.hasOldToken = oldTokenHash != nil
        return KeyRow(
            key: key,
            tokenHash: tokenHash,
            oldTokenHash: oldTokenHash,
            oldTokenUntil: column("oldTokenUntil", \.oldTokenUntil)
        )
    }
}
