package import Domain
import JSON
import Sodium

/// The encrypted addresses and keys with which push services reach terminals.
package struct PushAddressTable: TransactionTable {
    let transaction: Transaction

    /// Returns a terminal's address, or nil if it has no address.
    package func find(_ terminal: TerminalID) throws -> PushAddress? {
        try sql.find(PushAddress.table, terminal)
    }

    /// Returns the addresses of users.
    package func all(of uids: some Collection<UserID>) throws -> [UserID: [PushAddress]] {
        var found: [UserID: [PushAddress]] = [:]
        try sql.query("\(PushAddress.table.select)WHERE uid = $1 ORDER BY terminalId", each: uids) { uid, row in
            found[uid, default: []].append(row.nextRow())
        }
        return found
    }

    /// Returns addresses to which a summary must be sent now.
    ///
    /// The summary tells how many notifications were left out because the terminal had already received too many.
    package func owed(limit: Int) throws -> [PushAddress] {
        try sql.rows(of: PushAddress.table, "WHERE summaryAt <= $1 ORDER BY summaryAt LIMIT $2", now, limit)
    }

    /// Sets a terminal's address, and removes the same address from all other terminals.
    package func set(_ address: PushAddress) throws {
        try transaction.requireLock(of: address.uid)
        let previous: [TerminalID] = try sql.values(
            "SELECT terminalId FROM pushAddress WHERE addressHash = $1 AND terminalId <> $2",
            address.hash,
            address.terminal
        )
        for terminal in previous { try remove(terminal) }
        try sql.run(PushAddress.table.upsert, address)
    }

    /// Stores each address's push count and last outcome, but skips addresses that were changed or removed meanwhile.
    package func save(_ addresses: [PushAddress]) throws {
        try sql.run(
            """
            UPDATE pushAddress SET lastOkAt = $1, error = $2, countedFrom = $3, pushes = $4, leftOut = $5, summaryAt = $6
            WHERE terminalId = $7 AND addressHash = $8
            """,
            each: addresses
        ) { address in
            (
                address.lastOKAt, address.error, address.countedFrom, address.pushes, address.leftOut,
                address.summaryAt, address.terminal, address.hash
            )
        }
    }

    /// Removes a terminal's address, and the pushes that are waiting for the terminal.
    package func remove(_ terminal: TerminalID) throws {
        try transaction.outgoingMessages.dropPushes(to: terminal)
        try sql.run("DELETE FROM pushAddress WHERE terminalId = $1", terminal)
    }

    /// Removes an address, unless the terminal has set another address meanwhile.
    package func remove(_ address: PushAddress) throws {
        try sql.run(
            "DELETE FROM pushAddress WHERE terminalId = $1 AND addressHash = $2",
            address.terminal,
            address.hash
        )
    }
}

extension PushAddress: TableRow {
    package static let table = Table<Self>("pushAddress")

    package static func map(_ column: inout ColumnMapper<Self>) -> Self {
        let terminal = column("terminalId", \.terminal, as: .key)
        let (uid, app) = (column("uid", \.uid, as: .changing), column("appId", \.app, as: .changing))
        let kind = column("kind", \.kind, as: .changing)
        let content = column.sealed("address", \.content, as: .changing)
        _ = column("addressHash", \.hash, as: .changing)
        let isSandbox = column("sandbox", \.isSandbox, as: .changing)
        let object = content.flatMap { try? JSONValue.parse($0).objectValue } ?? [:]
        var address = PushAddress(
            object["address"]?.stringValue ?? "",
            kind: kind,
            keys: object["p256dh"]?.stringValue.map { Keys(p256dh: $0, auth: object["auth"]?.stringValue ?? "") },
            isSandbox: isSandbox,
            at: terminal,
            of: uid,
            app: app,
            since: column("since", \.since, as: .changing)
        )
        address.lastOKAt = column("lastOkAt", \.lastOKAt, as: .changing)
        address.error = column("error", \.error, as: .changing)
        address.countedFrom = column("countedFrom", \.countedFrom, as: .changing)
        address.pushes = column("pushes", \.pushes, as: .changing)
        address.leftOut = column("leftOut", \.leftOut, as: .changing)
        _ = column("summaryAt", \.summaryAt, as: .changing)
        return address
    }

    /// The address and its keys as JSON, before encryption.
    private var content: [UInt8] {
        JSONObject([
            ("address", .string(address)), ("p256dh", keys.map { .string($0.p256dh) }),
            ("auth", keys.map { .string($0.auth) }),
        ]).encoded()
    }

    /// The digest of the kind and address, for finding terminals with this address.
    fileprivate var hash: [UInt8] { Sodium.sha256("\(kind.rawValue) \(address)".utf8) }
}
