package import Domain

/// What a list of devices is narrowed by; nil and empty for whatever there is.
package struct DeviceFilter: Sendable {
    /// Products, any of them.
    package var products: [ProductKey]?
    /// Products that are left out.
    package var otherThan: [ProductKey] = []
    /// Whether it is connected.
    package var isOnline: Bool?
    /// Whether it has registered.
    package var isRegistered: Bool?
    /// Whether an alert or a fault is on.
    package var hasCondition: Bool?
    /// The user who is first among its users.
    package var owner: UserID?
    /// It came or went last before this moment, or never.
    package var seenBefore: Instant?
    /// It came or went last after this moment.
    package var seenAfter: Instant?
    /// Part of its id, MAC, name or tags or of a user's name for it, in lower case, or one of its `namedProducts`.
    package var part: String?
    /// The products whose names have that part.
    package var namedProducts: [ProductKey] = []
    /// Part of the name that operators gave it, in lower case.
    package var name: String?
    /// A tag by its name; of one with `tagValue`, which has an index, no other device is looked at.
    package var tag: String?
    /// The tag's value; nil for any.
    package var tagValue: String?

    /// Narrows nothing.
    package init() {}

    /// Which products, as one text to look into; nil for all.
    fileprivate static func text(_ keys: [ProductKey]?) -> String? {
        keys.map { "," + $0.map(\.text).joined(separator: ",") + "," }
    }
}

/// A device as a list shows it.
package struct DeviceListing: Sendable {
    /// The device.
    package var device: DeviceRecord
    /// Its status.
    package var status: StatusRecord

    /// Puts both together.
    package init(device: DeviceRecord, status: StatusRecord) {
        self.device = device
        self.status = status
    }
}

extension DeviceTable {
    /// Narrows by all its parameters, the first of which is the id to go on behind; the devices are `d`, their statuses `s`.
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

    /// Where devices are looked for: in all of them, or by the index of tags.
    static func found(by filter: DeviceFilter) -> String {
        switch (filter.tag, filter.tagValue) {
        case (nil, _): allFound
        case (_, nil): taggedFound
        default: valuedFound
        }
    }

    /// Whether a condition of the status `s` is on: it has the id of an event, so that `","` stands twice in its row.
    private static let hasOpen = """
        (s.conditions <> '[]' AND
            (length(s.conditions) - length(replace(s.conditions, '","', ''))) / 3
            > (length(s.conditions)
                - length(replace(replace(s.conditions, '["alert",', ''), '["fault",', ''))) / 9)
        """

    /// Hands over the rows of a statement that narrows (`narrowed`), until `row` returns false.
    private func scan(
        _ statement: String,
        _ filter: DeviceFilter,
        after did: String,
        row: (inout Row) throws -> Bool
    ) throws {
        try transaction.sql.scan(
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

    /// Passes to `body` devices with their statuses in the order of their ids, from behind one id on, until it
    /// returns false.
    package func search(
        _ filter: DeviceFilter,
        after did: String,
        _ body: (DeviceListing) throws -> Bool
    ) throws {
        try scan(
            """
            SELECT \(DeviceRecord.table.columns(of: "d")), \(StatusRecord.table.columns(of: "s"))
            \(Self.found(by: filter)) ORDER BY d.did
            """,
            filter,
            after: did
        ) { row in
            try body(DeviceListing(device: row.nextRow(), status: row.nextRow()))
        }
    }

    /// Returns how many devices there are of all, that are connected, with an alert or fault, and not registered.
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

    /// Returns the first user of each device that has one, with that user's name for it.
    package func owners(
        of dids: [DeviceID]
    ) throws -> [DeviceID: (uid: UserID, alias: String)] {
        var owners: [DeviceID: (uid: UserID, alias: String)] = [:]
        try transaction.sql.query(
            """
            SELECT uid, alias FROM binding
            WHERE did = $1 AND role IN ('special', 'owner') ORDER BY role DESC, boundAt LIMIT 1
            """,
            each: dids
        ) {
            $0
        } row: { did, row in
            owners[did] = (uid: row.next(), alias: row.next())
        }
        return owners
    }
}
