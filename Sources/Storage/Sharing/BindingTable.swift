package import Domain

/// The bindings of users and devices.
package struct BindingTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    private static let columns =
        "did, uid, appId, role, access, subscribed, alias, remark, boundAt, guestUntil, sharingId"

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
            boundAt: Instant(milliseconds: row.integer(8)),
            guestUntil: row.optionalInteger(9).map { Instant(milliseconds: $0) },
            sharing: row.optionalText(10).map { SharingID(trusted: $0) }
        )
    }

    /// Returns the binding of a user and a device, or nil.
    package func find(_ did: DeviceID, _ uid: UserID) throws -> Binding? {
        try sql.query("SELECT \(Self.columns) FROM binding WHERE did = $1 AND uid = $2") {
            $0.add(did.text)
            $0.add(uid.text)
        } row: {
            Self.binding($0)
        }.first
    }

    /// Returns all bindings of a device.
    package func all(of did: DeviceID) throws -> [Binding] {
        try sql.query("SELECT \(Self.columns) FROM binding WHERE did = $1 ORDER BY uid") {
            $0.add(did.text)
        } row: {
            Self.binding($0)
        }
    }

    /// Hands over each subscribed user of each device, with the device's place among those asked
    /// for.
    package func subscribers(of dids: [DeviceID], _ body: (Int, UserID, AppID) -> Void) throws {
        try sql.query(
            "SELECT uid, appId FROM binding WHERE did = $1 AND subscribed = 1",
            each: dids.indices
        ) {
            $0.add(dids[$1].text)
        } row: {
            body($0, UserID(trusted: $1.text(0)), AppID(trusted: $1.text(1)))
        }
    }

    /// A user's device with what a list shows of it.
    package struct Listed: Sendable {
        /// The binding.
        package var binding: Binding
        /// The device's product.
        package var productKey: ProductKey
        /// The device's hardware address.
        package var mac: MAC
        /// Whether the device is connected.
        package var isOnline: Bool
        /// The user's home that it is in.
        package var home: HomeID?
    }

    private static let list = """
        SELECT b.did, b.uid, b.appId, b.role, b.access, b.subscribed, b.alias, b.remark,
            b.boundAt, b.guestUntil, b.sharingId, d.productKey, d.mac, s.online, h.homeId
        FROM binding AS b JOIN device AS d ON d.did = b.did JOIN status AS s ON s.did = b.did
            LEFT JOIN homeDevice AS h ON h.uid = b.uid AND h.did = b.did
        """

    private static func listed(_ row: Row) -> Listed {
        Listed(
            binding: binding(row),
            productKey: ProductKey(trusted: row.text(11)),
            mac: MAC(trusted: row.text(12)),
            isOnline: row.bool(13),
            home: row.optionalText(14).map { HomeID(trusted: $0) }
        )
    }

    /// Returns a page of a user's devices, in the order of binding, without expired guest bindings.
    package func page(
        of uid: UserID,
        products: [ProductKey]?,
        offset: Int64,
        limit: Int64
    ) throws -> (rows: [Listed], total: Int64) {
        let rows = try sql.query("\(Self.list) WHERE b.uid = $1 ORDER BY b.boundAt, b.did") {
            $0.add(uid.text)
        } row: {
            Self.listed($0)
        }.filter { row in
            !row.binding.isOver(at: transaction.now)
                && products.map { $0.contains(row.productKey) } ?? true
        }
        let page = rows.dropFirst(Int(clamping: offset)).prefix(Int(clamping: limit))
        return (Array(page), Int64(rows.count))
    }

    /// Returns one of a user's devices as a list shows it, or nil.
    package func listed(_ did: DeviceID, _ uid: UserID) throws -> Listed? {
        try sql.query("\(Self.list) WHERE b.uid = $1 AND b.did = $2") {
            $0.add(uid.text)
            $0.add(did.text)
        } row: {
            Self.listed($0)
        }.first
    }

    /// Returns how many devices a user has.
    package func count(of uid: UserID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM binding WHERE uid = $1") { $0.add(uid.text) } ?? 0
    }

    /// Adds a binding.
    package func insert(_ binding: Binding) throws {
        try sql.run(
            """
            INSERT INTO binding (\(Self.columns))
            VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
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
            $0.add(binding.guestUntil?.milliseconds)
            $0.add(binding.sharing?.text)
        }
    }

    /// Changes a user's role.
    ///
    /// A role other than guest has full access without a time limit.
    package func setRole(_ did: DeviceID, _ uid: UserID, _ role: Binding.Role) throws {
        let isGuest = role == .guest
        try sql.run(
            """
            UPDATE binding SET role = $1,
                access = CASE WHEN $2 = 1 THEN access ELSE 'control' END,
                guestUntil = CASE WHEN $2 = 1 THEN guestUntil END,
                sharingId = CASE WHEN $2 = 1 THEN sharingId END
            WHERE did = $3 AND uid = $4
            """
        ) {
            $0.add(role.rawValue)
            $0.add(isGuest)
            $0.add(did.text)
            $0.add(uid.text)
        }
    }

    /// Changes a user's own name and note for a device; nil leaves a field unchanged.
    package func setCustomInfo(
        _ did: DeviceID,
        _ uid: UserID,
        alias: String?,
        remark: String?
    ) throws {
        try sql.run(
            """
            UPDATE binding SET alias = coalesce($1, alias), remark = coalesce($2, remark)
            WHERE did = $3 AND uid = $4
            """
        ) {
            $0.add(alias)
            $0.add(remark)
            $0.add(did.text)
            $0.add(uid.text)
        }
    }

    /// Returns guests past their deadline, at most `limit`, the earliest first.
    package func overdueGuests(limit: Int) throws -> [Binding] {
        try sql.query(
            """
            SELECT \(Self.columns) FROM binding
            WHERE guestUntil IS NOT NULL AND guestUntil <= $1 ORDER BY guestUntil LIMIT $2
            """
        ) {
            $0.add(transaction.now.milliseconds)
            $0.add(limit)
        } row: {
            Self.binding($0)
        }
    }

    /// Returns when the next guest's time is over; nil without one.
    package func nextGuestEnd() throws -> Instant? {
        try sql.integer("SELECT min(guestUntil) FROM binding WHERE guestUntil IS NOT NULL")
            .map { Instant(milliseconds: $0) }
    }

    /// Changes whether a user gets a device's status.
    package func setSubscribed(_ did: DeviceID, _ uid: UserID, _ isSubscribed: Bool) throws {
        try sql.run("UPDATE binding SET subscribed = $1 WHERE did = $2 AND uid = $3") {
            $0.add(isSubscribed)
            $0.add(did.text)
            $0.add(uid.text)
        }
    }

    /// Ends bindings, and remembers them for as long as the device has commands of their time.
    package func delete(_ did: DeviceID, _ uids: [UserID]) throws {
        if let next = try transaction.devices.nextCommandIDs([did])[0], next > 1 {
            try sql.run(
                """
                INSERT INTO formerBinding (uid, did, lastCid, checkedTo) VALUES ($1, $2, $3, 0)
                ON CONFLICT (uid, did) DO UPDATE SET lastCid = excluded.lastCid, checkedTo = 0
                """,
                each: uids
            ) {
                $0.add($1.text)
                $0.add(did.text)
                $0.add(next - 1)
            }
        }
        try sql.run("DELETE FROM binding WHERE did = $1 AND uid = $2", each: uids) {
            $0.add(did.text)
            $0.add($1.text)
        }
    }
}
