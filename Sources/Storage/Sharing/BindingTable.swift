package import Domain

/// The bindings of users and devices.
package struct BindingTable: TransactionTable {
    let transaction: Transaction

    /// Returns the binding of a user and a device, or nil.
    package func find(_ did: DeviceID, _ uid: UserID) throws -> Binding? { try sql.find(Binding.table, did, uid) }

    /// Calls `body` with the index and the binding of each pair that has a binding.
    package func load(_ pairs: [(did: DeviceID, uid: UserID)], _ body: (Int, Binding) -> Void) throws {
        for (place, pair) in pairs.enumerated() {
            if let binding = try find(pair.did, pair.uid) { body(place, binding) }
        }
    }

    /// Returns all bindings of a device.
    package func all(of did: DeviceID) throws -> [Binding] {
        try sql.rows(of: Binding.table, "WHERE did = $1 ORDER BY uid", did)
    }

    /// Returns at most `limit` bindings of a device, sorted by user and starting after `uid`, without expired guests.
    ///
    /// If `app` is nil, bindings of all apps are returned.
    package func page(of did: DeviceID, app: AppID? = nil, after uid: String, limit: Int) throws -> [Binding] {
        try sql.rows(
            of: Binding.table,
            """
            WHERE did = $1 AND uid > $2 AND (guestUntil IS NULL OR guestUntil > $3) AND ($4 = '' OR appId = $4)
            ORDER BY uid LIMIT $5
            """,
            did,
            uid,
            now,
            app?.text ?? "",
            limit
        )
    }

    /// Calls `body` for each user who gets a device's status, except for expired guests.
    ///
    /// The first argument of `body` is the device's index in `dids`.
    package func subscribers(of dids: [DeviceID], _ body: (Int, UserID, AppID) throws -> Void) throws {
        try sql.query(
            """
            SELECT uid, appId FROM binding
            WHERE did = $1 AND subscribed = 1 AND (guestUntil IS NULL OR guestUntil > $2)
            """,
            each: dids.indices
        ) {
            (dids[$0], now)
        } row: {
            try body($0, $1.next(), $1.next())
        }
    }

    /// A user's device in a list.
    package struct Listed: Sendable {
        /// The binding.
        package var binding: Binding
        /// The device's product.
        package var productKey: ProductKey
        /// The device's hardware address.
        package var mac: MAC
        /// Whether the device is connected.
        package var isOnline: Bool
        /// The user's home that contains the device, or nil if no home contains it.
        package var home: HomeID?
    }

    private static let list = """
        SELECT \(Binding.table.columns(of: "b")), d.productKey, d.mac, s.online, h.homeId
        FROM binding AS b JOIN device AS d ON d.did = b.did JOIN status AS s ON s.did = b.did
            LEFT JOIN homeDevice AS h ON h.uid = b.uid AND h.did = b.did
        """

    private static func listed(_ row: inout Row) -> Listed {
        Listed(binding: row.nextRow(), productKey: row.next(), mac: row.next(), isOnline: row.next(), home: row.next())
    }

    /// Returns a page of a user's devices, the oldest binding first, without expired guest bindings.
    package func page(
        of uid: UserID,
        products: [ProductKey]?,
        offset: Int64,
        limit: Int64
    ) throws -> (rows: [Listed], total: Int64) {
        let rows = try sql.query("\(Self.list) WHERE b.uid = $1 ORDER BY b.boundAt, b.did", uid) { Self.listed(&$0) }
            .filter { row in
                !row.binding.isOver(at: now) && products.map { $0.contains(row.productKey) } ?? true
            }
        let page = rows.dropFirst(Int(clamping: offset)).prefix(Int(clamping: limit))
        return (Array(page), Int64(rows.count))
    }

    /// Returns a device as it appears in a user's list, or nil if the device isn't bound to the user.
    package func listed(_ did: DeviceID, _ uid: UserID) throws -> Listed? {
        try sql.first("\(Self.list) WHERE b.uid = $1 AND b.did = $2", uid, did) { Self.listed(&$0) }
    }

    /// Returns the number of a user's devices.
    package func count(ofUser uid: UserID) throws -> Int64 {
        try sql.integer("SELECT count(*) FROM binding WHERE uid = $1", uid) ?? 0
    }

    /// Adds a binding.
    ///
    /// Device and user must be locked, because each has a limited number of bindings.
    package func insert(_ binding: Binding) throws {
        try transaction.requireLock(of: binding.did)
        try transaction.requireLock(of: binding.uid)
        try sql.run(Binding.table.insert, binding)
    }

    /// Changes a user's role for a device.
    ///
    /// Every role except guest gives full access without a time limit.
    package func setRole(_ did: DeviceID, _ uid: UserID, to role: Binding.Role) throws {
        try transaction.requireLock(of: did)
        let isGuest = role == .guest
        try sql.run(
            """
            UPDATE binding SET role = $1,
                access = CASE WHEN $2 = 1 THEN access ELSE 'control' END,
                guestUntil = CASE WHEN $2 = 1 THEN guestUntil END,
                sharingId = CASE WHEN $2 = 1 THEN sharingId END
            WHERE did = $3 AND uid = $4
            """,
            role.rawValue,
            isGuest,
            did,
            uid
        )
    }

    /// Changes a user's alias and remark for a device.
    ///
    /// If `alias` is nil, the stored alias stays unchanged. The same is true for `remark`.
    package func setCustomInfo(_ did: DeviceID, _ uid: UserID, alias: String?, remark: String?) throws {
        try transaction.requireLock(of: did)
        try sql.run(
            "UPDATE binding SET alias = coalesce($1, alias), remark = coalesce($2, remark) WHERE did = $3 AND uid = $4",
            alias,
            remark,
            did,
            uid
        )
    }

    /// Returns at most `limit` expired guest bindings, the earliest first.
    package func overdueGuests(limit: Int) throws -> [Binding] {
        try sql.rows(
            of: Binding.table,
            "WHERE guestUntil IS NOT NULL AND guestUntil <= $1 ORDER BY guestUntil LIMIT $2",
            now,
            limit
        )
    }

    /// Returns when the next guest binding expires, or nil if there are no guests.
    package func nextGuestEnd() throws -> Instant? {
        try sql.value("SELECT min(guestUntil) FROM binding WHERE guestUntil IS NOT NULL")
    }

    /// Sets whether a user gets a device's status.
    package func setSubscribed(_ did: DeviceID, _ uid: UserID, to isSubscribed: Bool) throws {
        try transaction.requireLock(of: did)
        try sql.run("UPDATE binding SET subscribed = $1 WHERE did = $2 AND uid = $3", isSubscribed, did, uid)
    }

    /// Deletes bindings, and records them as former bindings if the device has ever had commands.
    ///
    /// A former binding is kept while the device has stored commands that were created before the binding ended.
    package func delete(_ did: DeviceID, _ uids: [UserID]) throws {
        try transaction.requireLock(of: did)
        if let next = try transaction.devices.nextCommandIDs([did])[0], next > 1 {
            try sql.run(
                """
                INSERT INTO formerBinding (uid, did, lastCid, checkedTo) VALUES ($1, $2, $3, 0)
                ON CONFLICT (uid, did) DO UPDATE SET lastCid = excluded.lastCid, checkedTo = 0
                """,
                each: uids
            ) { ($0, did, next - 1) }
        }
        try sql.run("DELETE FROM binding WHERE did = $1 AND uid = $2", each: uids) { (did, $0) }
    }
}

extension Binding: TableRow {
    package static let table = Table<Binding>("binding")

    package static func map(_ column: inout ColumnMapper<Binding>) -> Binding {
        Binding(
            did: column("did", \.did, as: .key),
            uid: column("uid", \.uid, as: .key),
            app: column("appId", \.app),
            role: column("role", \.role, as: .changing),
            access: column("access", \.access, as: .changing),
            isSubscribed: column("subscribed", \.isSubscribed, as: .changing),
            alias: column("alias", \.alias, as: .changing),
            remark: column("remark", \.remark, as: .changing),
            boundAt: column("boundAt", \.boundAt, as: .changing),
            guestUntil: column("guestUntil", \.guestUntil, as: .changing),
            sharing: column("sharingId", \.sharing, as: .changing)
        )
    }
}
