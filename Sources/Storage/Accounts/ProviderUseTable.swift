package import Domain

/// The times at which each provider (sign-in, mail, text messages) last worked and last failed.
///
/// The reason of the last failure is also stored.
package struct ProviderUseTable: TransactionTable {
    let transaction: Transaction

    /// Records a provider's success (`failure` is nil) or failure, unless the same outcome was recorded recently.
    package func note(_ provider: String, of app: AppID, failure: String?) throws {
        let known = try all(of: app)[provider] ?? ProviderUse()
        guard known.isNews(isFailure: failure != nil, at: now) else { return }
        try sql.run(
            """
            INSERT INTO providerUse (appId, provider, succeededAt, failedAt, failure)
            VALUES ($1, $2, $3, $4, $5) ON CONFLICT (appId, provider) DO UPDATE
            SET succeededAt = coalesce(excluded.succeededAt, providerUse.succeededAt),
                failedAt = coalesce(excluded.failedAt, providerUse.failedAt),
                failure = coalesce(excluded.failure, providerUse.failure)
            """,
            app,
            provider,
            failure == nil ? now : nil,
            failure == nil ? nil : now,
            failure
        )
    }

    /// Returns the last success and the last failure of each provider of an app, by the provider's name.
    package func all(of app: AppID) throws -> [String: ProviderUse] {
        let rows = try sql.query(
            "SELECT provider, succeededAt, failedAt, failure FROM providerUse WHERE appId = $1",
            app
        ) { row in
            (row.next(String.self), ProviderUse(succeededAt: row.next(), failedAt: row.next(), failure: row.next()))
        }
        return Dictionary(rows) { first, _ in first }
    }
}
