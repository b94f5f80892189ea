import Credentials
import Domain

/// The records for the gate's file, read from the tables.
///
/// The queries read only columns that the feeder's role is allowed to read (`deploy/postgres/feed.sql`).
enum GateRecords {
    private static let products = "SELECT productKey, secretHash FROM product"
    private static let apps = "SELECT appId, secretHash FROM app"
    private static let services = "SELECT name, role, secretHash FROM service"
    private static let devices = "SELECT did, secretHash FROM device"
    private static let certificates = "SELECT did, certificatesFrom FROM device"
    private static let terminals = """
        SELECT t.terminalId, t.appId, s.sessionId, s.uid, s.tokenHash, s.expiresAt, s.oldTokenHash, s.oldTokenUntil,
            s.lastSeenAt
            FROM terminal AS t LEFT JOIN session AS s ON s.terminalId = t.terminalId AND s.endedAt IS NULL
        """

    /// The SQL query for ended sessions of linked services; the gate treats these sessions as ended API keys.
    private static let unlinked = """
        SELECT terminalId, appId, sessionId, sessionId, tokenHash, 0, oldTokenHash, oldTokenUntil, loginTime
            FROM session WHERE clientId IS NOT NULL AND endedAt IS NOT NULL
        """

    /// To the gate, an API key is a session on the key's terminal.
    ///
    /// The key's id is both the session's id and its user id.
    ///
    /// After the API key has ended, the gate keeps this session until the key is deleted. A terminal without a session
    /// can connect with the secret of its app. Because the session is kept, the key's terminal can't.
    private static let keys = """
        SELECT terminalId, appId, keyId, keyId, tokenHash,
            CASE WHEN endedAt IS NULL THEN coalesce(expiresAt, \(Instant.max.milliseconds)) ELSE 0 END,
            oldTokenHash, oldTokenUntil, createdAt
            FROM apiKey
        """

    /// Returns all records; calls `keep` before each query.
    static func all(_ sql: SQL, _ keep: () throws -> Void = {}) throws -> [Record] {
        var records: [Record] = []
        func add(_ query: String, _ record: (inout Row) -> Record?) throws {
            try keep()
            records += try sql.query(query, row: record).compactMap(\.self)
        }
        try add("\(Self.products)", product)
        try add("\(Self.apps)", app)
        try add("\(Self.services)", service)
        try add("\(Self.devices) WHERE secretHash IS NOT NULL", device)
        try add("\(Self.certificates) WHERE certificatesFrom IS NOT NULL", certificate)
        try add("\(Self.terminals)", terminal)
        try add("\(Self.unlinked)", terminal)
        try add("\(Self.keys)", terminal)
        if let connection = try connection(sql) { records.append(connection) }
        return records
    }

    /// Returns the current record of one principal, or the record of its removal.
    static func current(_ kind: Record.Kind, of key: String, in sql: SQL) throws -> Record? {
        func first(_ query: String, _ record: (inout Row) -> Record?) throws -> Record {
            let found = try sql.first(query, key, row: record) ?? nil
            return found ?? .removed(kind, key: key)
        }
        return switch kind {
        case .product: try first("\(Self.products) WHERE productKey = $1", product)
        case .app: try first("\(Self.apps) WHERE appId = $1", app)
        case .service: try first("\(Self.services) WHERE name = $1", service)
        case .device: try first("\(Self.devices) WHERE did = $1", device)
        case .certificates: try first("\(Self.certificates) WHERE did = $1", certificate)
        case .terminal:
            try sql.first("\(Self.keys) WHERE terminalId = $1", key, row: terminal) ?? nil
                ?? sql.first("\(Self.unlinked) AND terminalId = $1", key, row: terminal) ?? nil
                ?? first("\(Self.terminals) WHERE t.terminalId = $1", terminal)
        case .connections: try connection(sql)
        }
    }

    /// Returns a record of the largest connection number, or nil before the first connection.
    static func connection(_ sql: SQL) throws -> Record? {
        let known = try StatusTable.lastConnection(sql)
        return known > 0 ? .connections(known: known) : nil
    }

    // MARK: Rows

    private static func product(_ row: inout Row) -> Record? {
        let key = row.next(String.self)
        return Digest(row.next([UInt8].self)).map { .product(key: key, secret: $0) }
    }

    private static func app(_ row: inout Row) -> Record? {
        let id = row.next(String.self)
        return Digest(row.next([UInt8].self)).map { .app(appId: id, secret: $0) }
    }

    private static func service(_ row: inout Row) -> Record? {
        let name = row.next(String.self)
        let role = ServiceTable.role(row.next())
        return Digest(row.next([UInt8].self)).map { .service(name: name, secret: $0, role: role) }
    }

    private static func device(_ row: inout Row) -> Record? {
        let did = row.next(String.self)
        return row.next([UInt8]?.self).flatMap { Digest($0) }.map { .device(did: did, secret: $0) }
    }

    private static func certificate(_ row: inout Row) -> Record? {
        let did = row.next(String.self)
        return row.next(Int64?.self).map { .certificates(did: did, from: $0) }
    }

    private static func terminal(_ row: inout Row) -> Record? {
        .terminal(terminalId: row.next(), appId: row.next(), session: session(&row))
    }

    private static func session(_ row: inout Row) -> Credentials.Session? {
        let sessionId = row.next(String?.self)
        let uid = row.next(String?.self)
        let token = row.next([UInt8]?.self).flatMap { Digest($0) }
        let expiresAt = row.next(Int64?.self)
        let oldToken = row.next([UInt8]?.self).flatMap { Digest($0) }
        let oldUntil = row.next(Int64?.self)
        let lastSeenAt = row.next(Int64?.self)
        guard let sessionId, let uid, let token, let expiresAt else { return nil }
        let old = oldToken.map { OldToken(token: $0, until: oldUntil ?? 0) }
        return Credentials.Session(
            sessionId: sessionId,
            uid: uid,
            token: token,
            expiresAt: expiresAt,
            old: old,
            isUsed: lastSeenAt != nil
        )
    }
}
