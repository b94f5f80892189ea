import Credentials
package import Domain
package import JSON
import Sodium

/// The stored identity of a device.
package struct DeviceRecord: Sendable {
    /// The device's id.
    package var did: DeviceID
    /// The device's product.
    package var productKey: ProductKey
    /// The device's hardware address.
    package var mac: MAC
    /// The hash of the passcode that proves possession, or nil before the first registration.
    package var passcodeHash: [UInt8]?
    /// The SHA-256 of the device's secret; nil before the first registration.
    package var secretHash: [UInt8]?
    /// The device's hardware: its parts and their versions.
    package var hardware: JSONObject
    /// The number of the ownership period.
    ///
    /// A reset begins a new period, and so does removing the last binding.
    package var ownership: Int64
    /// When the ownership period began (older history isn't visible).
    package var ownershipSince: Instant
    /// The time until which a factory reset is allowed, or nil.
    package var resetUntil: Instant?
    /// All certificates that became valid before this moment are revoked (nil revokes none).
    package var certificatesFrom: Instant?
    /// When the device was created.
    package var createdAt: Instant
    /// When the device last registered; nil if it has never registered.
    package var registeredAt: Instant?
    /// The name that operators gave the device, or an empty string.
    package var name = ""
}

extension DeviceRecord: TableRow {
    package static let table = Table<DeviceRecord>("device")

    package static func map(_ column: inout ColumnMapper<DeviceRecord>) -> DeviceRecord {
        DeviceRecord(
            did: column("did", \.did, as: .key),
            productKey: column("productKey", \.productKey),
            mac: column("mac", \.mac),
            passcodeHash: column("passcodeHash", \.passcodeHash),
            secretHash: column("secretHash", \.secretHash),
            hardware: column("hardware", \.hardware),
            ownership: column("ownership", \.ownership),
            ownershipSince: column("ownershipSince", \.ownershipSince),
            resetUntil: column("resetUntil", \.resetUntil),
            certificatesFrom: column("certificatesFrom", \.certificatesFrom),
            createdAt: column("createdAt", \.createdAt),
            registeredAt: column("registeredAt", \.registeredAt),
            name: column("name", \.name)
        )
    }
}

/// Devices and their identities.
package struct DeviceTable: TransactionTable {
    let transaction: Transaction

    /// Returns one device; nil if there is no such device.
    package func find(_ did: DeviceID) throws -> DeviceRecord? { try sql.find(DeviceRecord.table, did) }

    /// Returns the device with a given product and MAC, or nil.
    package func find(_ key: ProductKey, _ mac: MAC) throws -> DeviceRecord? {
        try sql.rows(of: DeviceRecord.table, "WHERE productKey = $1 AND mac = $2", key, mac).first
    }

    /// Returns devices in the order of their ids, starting after `did`.
    package func page(after did: String, product: ProductKey? = nil, limit: Int) throws -> [DeviceRecord] {
        try sql.rows(
            of: DeviceRecord.table,
            "WHERE did > $1 AND ($2 IS NULL OR productKey = $2) ORDER BY did LIMIT $3",
            did,
            product,
            limit
        )
    }

    /// Passes to `body` each device's index in `dids`, and the beginning of its ownership period.
    package func ownershipSince(of dids: [DeviceID], _ body: (Int, Instant) -> Void) throws {
        try sql.query("SELECT ownershipSince FROM device WHERE did = $1", each: dids.indices) {
            dids[$0].text
        } row: {
            body($0, $1.next())
        }
    }

    /// Returns the number of devices.
    package func count() throws -> Int64 { try sql.integer("SELECT count(*) FROM device") ?? 0 }

    /// Creates a device with an empty status, before `setIdentity` sets secret and passcode.
    ///
    /// The first ownership period has no beginning. Data from before the registration therefore belongs to that period.
    package func create(_ did: DeviceID, product: ProductKey, mac: MAC) throws {
        transaction.lock(new: did)
        let device = DeviceRecord(
            did: did,
            productKey: product,
            mac: mac,
            hardware: [:],
            ownership: 1,
            ownershipSince: Instant(milliseconds: 0),
            createdAt: now
        )
        try sql.run(DeviceRecord.table.insert, device)
        try transaction.statuses.create(did, product: product, at: now)
    }

    /// Sets a device's secret, passcode and hardware, which makes the previous secret invalid.
    package func setIdentity(_ did: DeviceID, secret: String, passcode: String, hardware: JSONObject) throws {
        try transaction.requireLock(of: did)
        let hash = Sodium.sha256(secret.utf8)
        try sql.run(
            """
            UPDATE device SET secretHash = $1, passcodeHash = $2, hardware = $3,
                registeredAt = $4, resetUntil = NULL
            WHERE did = $5
            """,
            hash,
            transaction.hash(passcode, boundTo: did.text),
            TextBytes(hardware.encoded()),
            now,
            did
        )
        if let digest = Digest(hash) { transaction.gate.records.append(.device(did: did.text, secret: digest)) }
    }

    /// Gives a device another secret; the previous secret becomes invalid.
    package func setSecret(_ did: DeviceID, _ secret: String) throws {
        try transaction.requireLock(of: did)
        let hash = Sodium.sha256(secret.utf8)
        try sql.run("UPDATE device SET secretHash = $1 WHERE did = $2", hash, did)
        if let digest = Digest(hash) { transaction.gate.records.append(.device(did: did.text, secret: digest)) }
    }

    /// Returns whether a secret belongs to the device.
    package func hasSecret(_ device: DeviceRecord, _ secret: String) -> Bool {
        device.secretHash.map { Sodium.areEqual($0, Sodium.sha256(secret.utf8)) } ?? false
    }

    /// Returns whether a passcode belongs to the device.
    ///
    /// If there is no device, the method returns false, and takes as long as for an existing device.
    package func hasPasscode(_ device: DeviceRecord?, _ passcode: String) -> Bool {
        let hash = transaction.hash(passcode, boundTo: device?.did.text ?? "")
        return Sodium.areEqual(device?.passcodeHash ?? [UInt8](repeating: 0, count: 32), hash)
            && device?.passcodeHash != nil
    }

    /// Changes a device's passcode and hardware; nil leaves a field unchanged.
    package func update(_ did: DeviceID, passcode: String?, hardware: JSONObject?) throws {
        try transaction.requireLock(of: did)
        try sql.run(
            """
            UPDATE device SET passcodeHash = coalesce($1, passcodeHash),
                hardware = coalesce($2, hardware)
            WHERE did = $3
            """,
            passcode.map { transaction.hash($0, boundTo: did.text) },
            hardware.map { String(decoding: $0.encoded(), as: UTF8.self) },
            did
        )
    }

    /// Lets one registration reset the device, if the registration comes before a given moment.
    package func allowReset(_ did: DeviceID, until: Instant) throws {
        try transaction.requireLock(of: did)
        try sql.run("UPDATE device SET resetUntil = $1 WHERE did = $2", until, did)
    }

    /// Withdraws the permission to reset the device.
    ///
    /// This is needed when a user who may have given the permission is no longer bound to the device.
    package func closeReset(_ did: DeviceID) throws {
        try transaction.requireLock(of: did)
        try sql.run("UPDATE device SET resetUntil = NULL WHERE did = $1", did)
    }

    /// Revokes a device's certificates that became valid before a given moment, rounded down to a second.
    ///
    /// The gate closes connections made with these certificates.
    package func revokeCertificates(_ did: DeviceID, before moment: Instant) throws {
        try transaction.requireLock(of: did)
        let begin = Instant(milliseconds: moment.milliseconds / 1000 * 1000)
        // The stored time never becomes earlier. Otherwise, setting the clock back would make revoked certificates
        // valid again.
        try sql.run(
            """
            UPDATE device SET certificatesFrom = $1
            WHERE did = $2 AND (certificatesFrom IS NULL OR certificatesFrom < $1)
            """,
            begin,
            did
        )
        guard let stored = try sql.integer("SELECT certificatesFrom FROM device WHERE did = $1", did) else { return }
        transaction.gate.records.append(.certificates(did: did.text, from: stored))
    }

    // MARK: Labels

    /// Returns the text of a device's label, whether or not the device has registered.
    package func label(_ key: ProductKey, _ mac: MAC) -> String {
        let digest = transaction.key.label("\(key.text):\(mac.text)")
        let proof = Sodium.base64URL(Array(digest.prefix(DeviceLabel.proofBytes)))
        return DeviceLabel.text(key, mac, proof: proof)
    }

    /// Returns whether a string is the text of a device's label.
    package func isLabel(_ text: String, of key: ProductKey, _ mac: MAC) -> Bool {
        Sodium.areEqual(Array(text.utf8), Array(label(key, mac).utf8))
    }

    // MARK: Ownership periods

    /// Begins a new ownership period of the device.
    ///
    /// The period begins after all existing records. A record's time can be slightly in the future, if the device's
    /// clock is ahead. A command's time can equal the present millisecond. Times further in the future were stored
    /// before the clock was set back, and are ignored.
    package func beginOwnership(_ did: DeviceID) throws {
        try transaction.requireLock(of: did)
        let farthest = now.adding(seconds: Report.aheadMaxSeconds)
        let begin = try moments(of: did, by: farthest)
            .map { $0.adding(milliseconds: 1) }
            .reduce(now, max)
        try sql.run(
            "UPDATE device SET ownership = ownership + 1, ownershipSince = $1, resetUntil = NULL WHERE did = $2",
            begin,
            did
        )
    }

    /// Returns the beginning of the ownership period and the times of the newest records, up to `farthest`.
    private func moments(of did: DeviceID, by farthest: Instant) throws -> [Instant] {
        let statements = [
            "SELECT ownershipSince FROM device WHERE did = $1 AND ownershipSince <= $2",
            "SELECT max(ts) FROM event WHERE did = $1 AND ts <= $2",
            "SELECT max(createdAt) FROM command WHERE did = $1 AND createdAt <= $2",
        ]
        let stored: [Instant] = try statements.compactMap { statement in try sql.value(statement, did, farthest) }
        let reported = try transaction.statuses.find(did)?.status.reportTimes ?? []
        return try stored + reported.filter { $0 <= farthest } + ahead(did, by: farthest)
    }

    /// Returns an array with the history's newest time between now and `farthest`, or an empty array.
    ///
    /// The history must be searched because the times of binary reports are stored only there.
    private func ahead(_ did: DeviceID, by farthest: Instant) throws -> [Instant] {
        var newest: Instant?
        let place = HistoryPlace(now)
        _ = try transaction.history.scan(did, from: place, to: farthest.adding(milliseconds: 1)) { record, _ in
            newest = record.ts
            return true
        }
        return [newest].compactMap(\.self)
    }

    /// Deletes a device without bindings, and all data that belongs to it alone.
    package func forget(_ did: DeviceID) throws {
        try transaction.statuses.forget(did)
        for table in [
            "history", "historyDay", "event", "command", "dispatch", "waiter", "inbox", "sharing",
            "homeDevice", "formerBinding", "tag", "device",
        ] {
            try sql.run("DELETE FROM \(table) WHERE did = $1", did)
        }
        transaction.gate.records.append(.removed(.device, key: did.text))
        // The record of revoked certificates isn't needed any more, since no later device gets this id.
        transaction.gate.records.append(.removed(.certificates, key: did.text))
    }
}
