package import Domain

extension AccountTable {
    /// Returns users in the order of their ids, from behind one id on.
    package func page(after uid: String = "", app: String? = nil, limit: Int) throws -> [User] {
        try transaction.sql.query(
            """
            SELECT uid FROM account
            WHERE uid > $1 AND ($2 IS NULL OR appId = $2) ORDER BY uid LIMIT $3
            """,
            uid,
            app,
            limit
        ) {
            $0.next()
        }.compactMap { try find($0) }
    }
}
