package import Domain

/// Who is bound to what.
package struct BindingTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns =
        "did, uid, appId, role, access, subscribed, alias, remark, boundAt"

    private static func binding(_ row: Row) -> Binding {
        Binding(
            did: DeviceID(trusted: row.text(0)),
            uid: UserID(trusted: row.text(1)),
            app: AppID(trusted: row.text(2)),
            role: Binding.Role(rawValue: row.text(3)) ?? .guest,
            access: Binding.Access(rawValue: row.text(4)) ?? .read,
            isSubscribed: row.bool(5),
            alias: row.text(6),
            remark: row.text(7),
            boundAt: Instant(milliseconds: row.integer(8))
        )
    }

    /// The bond of a user and a device, or nil.
    package func find(_ did: DeviceID, _ uid: UserID) throws -> Binding? {
        try sql.query("SELECT \(Self.columns) FROM binding WHERE did = $1 AND uid = $2") {
            $0.add(did.text)
            $0.add(uid.text)
        } row: {
            Self.binding($0)
        }.first
    }

    /// Everybody bound to a device.
    package func all(of did: DeviceID) throws -> [Binding] {
        try sql.query("SELECT \(Self.columns) FROM binding WHERE did = $1 ORDER BY uid") {
            $0.add(did.text)
        } row: {
            Self.binding($0)
        }
    }

    /// Hands over each subscribed user of each device, with the device's place among those asked
    /// for.
    package func subscribers(of dids: [DeviceID], _ body: (Int, UserID) -> Void) throws {
        try sql.query(
            "SELECT uid FROM binding WHERE did = $1 AND subscribed = 1",
            each: dids.indices
        ) {
            $0.add(dids[$1].text)
        } row: {
            body($0, UserID(trusted: $1.text(0)))
        }
    }

    /// A page of a user's devices, in the order of binding, with what a list shows of each.
    package func page(
        of uid: UserID,
        products: [ProductKey]?,
        offset: Int64,
        limit: Int64
    ) throws -> (
        rows: [(binding: Binding, productKey: ProductKey, mac: MAC, isOnline: Bool)], total: Int64
    ) {
        let rows = try sql.query(
            """
            SELECT b.did, b.uid, b.appId, b.role, b.access, b.subscribed, b.alias, b.remark,
                b.boundAt, d.productKey, d.mac, s.online
            FROM binding AS b JOIN device AS d ON d.did = b.did JOIN status AS s ON s.did = b.did
            WHERE b.uid = $1 ORDER BY b.boundAt, b.did
            """
        ) {
            $0.add(uid.text)
        } row: { row in
            (
                binding: Self.binding(row), productKey: ProductKey(trusted: row.text(9)),
                mac: MAC(trusted: row.text(10)), isOnline: row.bool(11)
            )
        }.filter { row in products.map { $0.contains(row.productKey) } ?? true }
        let page = rows.dropFirst(Int(clamping: offset)).prefix(Int(clamping: limit))
        return (Array(page), Int64(rows.count))
    }

    /// How many devices a user has.
    package func count(of uid: UserID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM binding WHERE uid = $1") { $0.add(uid.text) } ?? 0
    }

    /// Adds a bond.
    package func insert(_ binding: Binding) throws {
        try sql.run(
            """
            INSERT INTO binding (\(Self.columns)) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
            """
        ) {
            $0.add(binding.did.text)
            $0.add(binding.uid.text)
            $0.add(binding.app.text)
            $0.add(binding.role.rawValue)
            $0.add(binding.access.rawValue)
            $0.add(binding.isSubscribed)
            $0.add(binding.alias)
            $0.add(binding.remark)
            $0.add(binding.boundAt.milliseconds)
        }
    }

    /// Changes a user's role.
    package func setRole(_ did: DeviceID, _ uid: UserID, _ role: Binding.Role) throws {
        try sql.run("UPDATE binding SET role = $1 WHERE did = $2 AND uid = $3") {
            $0.add(role.rawValue)
            $0.add(did.text)
            $0.add(uid.text)
        }
    }

    /// Changes whether a user gets a device's status.
    package func setSubscribed(_ did: DeviceID, _ uid: UserID, _ isSubscribed: Bool) throws {
        try sql.run("UPDATE binding SET subscribed = $1 WHERE did = $2 AND uid = $3") {
            $0.add(isSubscribed)
            $0.add(did.text)
            $0.add(uid.text)
        }
    }

    /// Ends bonds.
    package func delete(_ did: DeviceID, _ uids: [UserID]) throws {
        try sql.run("DELETE FROM binding WHERE did = $1 AND uid = $2", each: uids) {
            $0.add(did.text)
            $0.add($1.text)
        }
    }
}
