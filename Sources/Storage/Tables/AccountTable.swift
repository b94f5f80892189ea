package import Domain

/// Users.
package struct AccountTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns =
        "uid, appId, region, countryCode, nickname, anonymous, tempUnit, timezone, createdAt"

    private static func user(_ row: Row) -> User {
        var user = User(
            uid: UserID(trusted: row.text(0)),
            app: AppID(trusted: row.text(1)),
            region: row.text(2),
            countryCode: row.text(3),
            nickname: row.text(4),
            isAnonymous: row.bool(5),
            createdAt: Instant(milliseconds: row.integer(8))
        )
        user.tempUnit = row.integer(6)
        user.timezone = row.text(7)
        return user
    }

    /// One user, or nil.
    package func find(_ uid: UserID) throws -> User? {
        try sql.query("SELECT \(Self.columns) FROM account WHERE uid = $1") {
            $0.add(uid.text)
        } row: {
            Self.user($0)
        }.first
    }

    /// The anonymous user that an installation's secret stands for, or nil.
    package func findAnonymous(
        deviceID: String,
        app: AppID,
        region: String
    ) throws -> User? {
        try sql.query(
            """
            SELECT \(Self.columns) FROM account
            WHERE appId = $1 AND region = $2 AND deviceIdHash = $3 AND anonymous = 1
            """
        ) {
            $0.add(app.text)
            $0.add(region)
            $0.add(bytes: transaction.hash(deviceID, boundTo: "deviceId"))
        } row: {
            Self.user($0)
        }.first
    }

    /// Adds a user; the installation's secret is kept hashed.
    package func insert(_ user: User, deviceID: String?) throws {
        try sql.run(
            """
            INSERT INTO account (\(Self.columns), deviceIdHash)
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
            """
        ) {
            $0.add(user.uid.text)
            $0.add(user.app.text)
            $0.add(user.region)
            $0.add(user.countryCode)
            $0.add(user.nickname)
            $0.add(user.isAnonymous)
            $0.add(user.tempUnit)
            $0.add(user.timezone)
            $0.add(user.createdAt.milliseconds)
            $0.add(bytes: deviceID.map { transaction.hash($0, boundTo: "deviceId") })
        }
    }
}
