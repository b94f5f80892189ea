package import Domain

/// The names and tags that operators give devices.
extension DeviceTable {
    /// Returns the names of those devices that have a name.
    package func names(of dids: some Collection<DeviceID>) throws -> [DeviceID: String] {
        var names: [DeviceID: String] = [:]
        try sql.query(
            "SELECT name FROM device WHERE did = $1 AND name <> ''",
            each: Set(dids)
        ) { did, row in names[did] = row.next() }
        return names
    }

    /// Returns the tags of devices, sorted by the tags' names.
    package func tags(of dids: [DeviceID]) throws -> [DeviceID: [DeviceTag]] {
        var tags: [DeviceID: [DeviceTag]] = [:]
        try sql.query("SELECT name, value FROM tag WHERE did = $1 ORDER BY name", each: dids) { did, row in
            tags[did, default: []].append(DeviceTag(trusted: row.next(), row.next()))
        }
        return tags
    }

    /// Changes a device's name and tags, and returns the tags before and after.
    ///
    /// - Throws: `Rejection` if there would be too many tags.
    package func label(_ did: DeviceID, _ change: DeviceLabeling) throws -> (before: [DeviceTag], after: [DeviceTag]) {
        try transaction.requireLock(of: did)
        let before = try tags(of: [did])[did] ?? []
        let after = try change.tags(after: before)
        if let name = change.name { try sql.run("UPDATE device SET name = $1 WHERE did = $2", name, did) }
        let gone = before.filter { !after.contains($0) }
        try sql.run("DELETE FROM tag WHERE did = $1 AND name = $2", each: gone) { (did, $0.name) }
        try sql.run(
            "INSERT INTO tag (did, name, value) VALUES ($1, $2, $3)",
            each: after.filter { !before.contains($0) }
        ) { (did, $0.name, $0.value) }
        return (before, after)
    }
}
