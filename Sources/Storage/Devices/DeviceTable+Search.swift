package import Domain

/// The criteria of a list of devices; a criterion that is nil matches all devices.
package struct DeviceFilter: Sendable {
    /// The products to include.
    package var products: [ProductKey]?
    /// The products to leave out.
    package var otherThan: [ProductKey] = []
    /// Whether the device is connected.
    package var isOnline: Bool?
    /// Whether the device has registered.
    package var isRegistered: Bool?
    /// Whether an alert or a fault of the device is open.
    package var hasCondition: Bool?
    /// A user who is the device's special user or an owner of the device.
    package var owner: UserID?
    /// Devices match if they have never connected, or if they last connected or disconnected before this moment.
    package var seenBefore: Instant?
    /// Devices match if they last connected or disconnected at or after this moment.
    package var seenAfter: Instant?
    /// A lower-case text that must occur in the device's id, MAC or name, in a tag, or in a user's alias.
    ///
    /// Devices of `namedProducts` match too.
    package var part: String?
    /// The products whose names contain `part`.
    package var namedProducts: [ProductKey] = []
    /// A lower-case text that must occur in the device's name, as given by operators.
    package var name: String?
    /// The name of a tag that the device must have.
    ///
    /// If `tagValue` is set, the tag must have that value.
    package var tag: String?
    /// The value of the tag; nil for any value.
    package var tagValue: String?

    /// Creates a filter that matches all devices.
    package init() {}

    /// Joins product keys into one searchable string, or returns nil if `keys` is nil.
    fileprivate static func text(_ keys: [ProductKey]?) -> String? {
        keys.map { "," + $0.map(\.text).joined(separator: ",") + "," }
    }
}

/// A device in a list.
package struct DeviceListing: Sendable {
    /// The device.
    package var device: DeviceRecord
    /// The device's status.
    package var status: StatusRecord

    /// Combines a device and its status.
    package init(device: DeviceRecord, status: StatusRecord) {
        (self.device, self.status) = (device, status)
    }
}

extension DeviceTable {
    /// The condition that a device `d` and its status `s` match the filter.
    ///
    /// `$1` is the id to start after. The other parameters are the filter's criteria.
    private static let narrowed = """
        d.did > $1 AND ($2 IS NULL OR instr($2, ',' || d.productKey || ',') > 0)
        AND ($3 IS NULL OR instr($3, ',' || d.productKey || ',') = 0)
        AND ($4 IS NULL OR s.online = $4)
        AND ($5 IS NULL OR (d.registeredAt IS NOT NULL) = ($5 = 1))
        AND ($6 IS NULL OR \(Self.hasOpen) = ($6 = 1))
        AND ($7 IS NULL OR EXISTS (SELECT 1 FROM binding AS o
            WHERE o.did = d.did AND o.uid = $7 AND o.role IN ('special', 'owner')))
        AND ($8 IS NULL OR s.lastSeenAt IS NULL OR s.lastSeenAt < $8)
        AND ($9 IS NULL OR s.lastSeenAt >= $9)
        AND ($10 IS NULL OR instr(lower(d.did), $10) > 0 OR instr(d.mac, $10) > 0
            OR instr(lower(d.name), $10) > 0 OR instr($11, ',' || d.productKey || ',') > 0
            OR d.did IN (SELECT did FROM binding
                WHERE alias <> '' AND instr(lower(alias), $10) > 0)
            OR d.did IN (SELECT did FROM tag
                WHERE instr(lower(name) || '=' || lower(value), $10) > 0))
        AND ($12 IS NULL OR instr(lower(d.name), $12) > 0)
        AND ($13 IS NULL OR EXISTS (SELECT 1 FROM tag AS w
            WHERE w.did = d.did AND w.name = $13 AND ($14 IS NULL OR w.value = $14)))
        """

    private static let allFound = """
        FROM device AS d JOIN status AS s ON s.did = d.did WHERE \(Self.narrowed)
        """
    private static let taggedFound = """
        FROM tag AS t JOIN device AS d ON d.did = t.did JOIN status AS s ON s.did = t.did
        WHERE \(Self.narrowed) AND t.name = $13
        """
    private static let valuedFound = """
        FROM tag AS t JOIN device AS d ON d.did = t.did JOIN status AS s ON s.did = t.did
        WHERE \(Self.narrowed) AND t.name = $13 AND t.value = $14
        """

    /// Returns a search's `FROM` and `WHERE` clauses, which use an index only if the filter names a tag.
    static func found(by filter: DeviceFilter) -> String {
        switch (filter.tag, filter.tagValue) {
        case (nil, _): allFound
        case (_, nil): taggedFound
        default: valuedFound
        }
    }

    /// The condition that an alert or fault of the status `s` is open.
    ///
    /// Each entry of `s.conditions` contains `","` once. The entry of an open condition also contains an event's id,
    /// and therefore contains `","` a second time.
    private static let hasOpen = """
        (s.conditions <> '[]' AND
            (length(s.conditions) - length(replace(s.conditions, '","', ''))) / 3
            > (length(s.conditions)
                - length(replace(replace(s.conditions, '["alert",', ''), '["fault",', ''))) / 9)
        """

    /// Runs a statement that contains `narrowed`, and passes its rows to `row` until `row` returns false.
    private func scan(
        _ statement: String,
        _ filter: DeviceFilter,
        after did: String,
        row: (inout Row) throws -> Bool
    ) throws {
        try sql.scan(
            statement,
            did,
            DeviceFilter.text(filter.products),
            DeviceFilter.text(filter.otherThan.isEmpty ? nil : filter.otherThan),
            filter.isOnline,
            filter.isRegistered.map { $0 ? 1 : 0 },
            filter.hasCondition.map { $0 ? 1 : 0 },
            filter.owner,
            filter.seenBefore,
            filter.seenAfter,
            filter.part,
            DeviceFilter.text(filter.namedProducts) ?? "",
            filter.name,
            filter.tag,
            filter.tagValue,
            row: row
        )
    }

    /// Passes matching devices with ids after `did` to `body`, until `body` returns false.
    package func search(_ filter: DeviceFilter, after did: String, _ body: (DeviceListing) throws -> Bool) throws {
        try scan(
            """
            SELECT \(DeviceRecord.table.columns(of: "d")), \(StatusRecord.table.columns(of: "s"))
            \(Self.found(by: filter)) ORDER BY d.did
            """,
            filter,
            after: did
        ) { row in try body(DeviceListing(device: row.nextRow(), status: row.nextRow())) }
    }

    /// Counts the matching devices: all, connected, with open alerts or faults, and unregistered.
    package func counts(
        _ filter: DeviceFilter
    ) throws -> (all: Int64, online: Int64, alerting: Int64, unregistered: Int64) {
        var counts: (all: Int64, online: Int64, alerting: Int64, unregistered: Int64) = (0, 0, 0, 0)
        try scan(
            """
            SELECT count(*), CAST(coalesce(sum(s.online), 0) AS BIGINT),
                CAST(coalesce(sum(CASE WHEN \(Self.hasOpen) THEN 1 ELSE 0 END), 0) AS BIGINT),
                CAST(coalesce(sum(CASE WHEN d.registeredAt IS NULL THEN 1 ELSE 0 END), 0) AS BIGINT)
            \(Self.found(by: filter))
            """,
            filter,
            after: ""
        ) { row in
            counts = (row.next(), row.next(), row.next(), row.next())
            return false
        }
        return counts
    }

    /// Returns each device's special user (or else its first owner), and the alias that this user gave the device.
    package func owners(of dids: [DeviceID]) throws -> [DeviceID: (uid: UserID, alias: String)] {
        var owners: [DeviceID: (uid: UserID, alias: String)] = [:]
        try sql.query(
            """
            SELECT uid, alias FROM binding
            WHERE did = $1 AND role IN ('special', 'owner') ORDER BY role DESC, boundAt LIMIT 1
            """,
            each: dids
        ) { did, row in owners[did] = (uid: row.next(), alias: row.next()) }
        return owners
    }
}
