package import Domain

/// Devices that no user has ever bound.
extension DeviceTable {
    /// The SQL form of `isNeverBound(_:notSeenSince:)`, where `$A` is the moment.
    private static let isNeverBound = """
        d.ownership = 1 AND s.online = 0
            AND d.createdAt < $A AND coalesce(d.registeredAt, 0) < $A
            AND coalesce(s.lastSeenAt, 0) < $A
            AND NOT EXISTS (SELECT 1 FROM binding AS b WHERE b.did = d.did)
            AND NOT EXISTS (SELECT 1 FROM formerBinding AS f WHERE f.did = d.did)
            AND NOT EXISTS (SELECT 1 FROM listedMac AS l
                WHERE l.productKey = d.productKey AND l.mac = d.mac)
        """

    private static func condition(_ parameter: String) -> String {
        isNeverBound.split(separator: "$A", omittingEmptySubsequences: false)
            .joined(separator: parameter)
    }

    /// Checks up to `limit` devices after `did`, and returns the devices for which `isNeverBound` is true.
    ///
    /// - Returns: The devices found, and the id of the last device checked. This id is empty if no devices are left to
    ///   check.
    package func neverBound(
        after did: String,
        limit: Int,
        notSeenSince moment: Instant
    ) throws -> (last: String, dids: [DeviceID]) {
        let page = try sql.query(
            "SELECT did FROM device WHERE did > $1 ORDER BY did LIMIT $2",
            did,
            limit
        ) { $0.next(String.self) }
        guard let last = page.last else { return ("", []) }
        let dids = try sql.query(
            """
            SELECT d.did FROM device AS d JOIN status AS s ON s.did = d.did
            WHERE d.did > $1 AND d.did <= $2 AND \(Self.condition("$3"))
            ORDER BY d.did
            """,
            did,
            last,
            moment
        ) { $0.next(DeviceID.self) }
        return (page.count < limit ? "" : last, dids)
    }

    /// Returns whether a device has never been bound, and no operator has listed its MAC for the product.
    ///
    /// The device must also be offline, and not seen since `moment`.
    package func isNeverBound(_ did: DeviceID, notSeenSince moment: Instant) throws -> Bool {
        try sql.integer(
            """
            SELECT 1 FROM device AS d JOIN status AS s ON s.did = d.did
            WHERE d.did = $1 AND \(Self.condition("$2"))
            """,
            did,
            moment
        ) != nil
    }
}
