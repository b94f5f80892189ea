import Files
import PostgreSQL
import Problems
import Storage

/// The checks of a database server: its standbys, durability, old transactions, bloat and connections.
///
/// If the store is a file, the checks are left out.
struct DatabaseChecks {
    let directory: DataDirectory
    let place: StorePlace

    /// The maximum lag of a standby, in bytes of the write-ahead log; if a standby lags more, the doctor warns.
    private static let lagMax: Int64 = 64 << 20
    /// The age of the oldest transaction, in seconds, above which the doctor warns.
    ///
    /// While a transaction is open, the database can't remove rows that were deleted after the transaction began.
    private static let transactionMax: Int64 = 60
    /// The maximum percentage of connections in use; if more are in use, the doctor warns.
    private static let connectionsMax: Int64 = 80

    func run() -> [Finding] {
        guard let address = place.database else { return [] }
        do {
            guard let health = try StoreAccess.tool(directory, place).databaseHealth() else { return [] }
            return [standbys(health), durability(health), transactions(health), bloat(health), connections(health)]
        } catch {
            let check = Check(.doctorStandbys, "the database server answers")
            return [check.skipped(address.place, because: error)]
        }
    }

    private var subject: String { place.database?.place ?? "" }

    private func standbys(_ health: DatabaseHealth) -> Finding {
        let check = Check(.doctorStandbys, "standbys follow the database")
        let all = health.standbys
        guard !all.isEmpty else {
            return check(.warn, subject, found: "no standby: if this server's disk fails, its data is lost")
                .cured(by: "make a standby: docs/guides/growing.md, pg_basebackup --write-recovery-conf")
        }
        let count: FindingText = all.count == 1 ? "1 standby" : "\(all.count) standbys"
        let shown = all.map { standby -> FindingText in
            let lag: FindingText = standby.bytesBehind.map { "\($0 >> 10) KiB behind" } ?? "lag not shown"
            return standby.isSynchronous
                ? "\(standby.name) synchronous, \(lag)" : "\(standby.name) asynchronous, \(lag)"
        }
        let evidence: FindingText = "\(count): \(FindingText(joining: shown, by: "; "))"
        if all.contains(where: { ($0.bytesBehind ?? 0) > Self.lagMax }) {
            return check(.warn, subject, found: evidence)
                .cured(by: "find out why the standby is slow: its disk, its network, or a long query on it")
        }
        guard all.contains(where: \.isSynchronous) else {
            return check(.warn, subject, found: "\(evidence); a failover may lose the last changes")
                .cured(by: "name the standby in synchronous_standby_names, so that a commit waits for it")
        }
        return check(.pass, subject, found: evidence)
    }

    private func durability(_ health: DatabaseHealth) -> Finding {
        let isOn = health.isDurable
        let evidence: FindingText = isOn ? "fsync and full_page_writes are on" : "fsync or full_page_writes is off"
        let check = Check(.doctorDurability, "the database keeps confirmed data")
        return check(isOn ? .pass : .fail, subject, found: evidence)
            .cured(by: "a power failure can destroy the database: switch both on", "ALTER SYSTEM SET fsync = on")
    }

    private func transactions(_ health: DatabaseHealth) -> Finding {
        let oldest = health.oldestTransaction
        let isOld = oldest.seconds > Self.transactionMax
        let evidence: FindingText =
            isOld
            ? "the oldest transaction is \(oldest.seconds) s old, process \(oldest.pid)"
            : "the oldest transaction is \(oldest.seconds) s old"
        let end = "SELECT pg_terminate_backend(\(oldest.pid))"
        return Check(.doctorTransactions, "no transaction is old")(isOld ? .warn : .pass, subject, found: evidence)
            .cured(by: "end the transaction: while it lasts, deleted rows can't be removed", end)
    }

    private func bloat(_ health: DatabaseHealth) -> Finding {
        let shown = health.bloat.map { row -> FindingText in "\(row.table) \(row.dead) dead, \(row.live) live" }
        let check = Check(.doctorBloat, "old rows are removed from tables")
        guard let first = health.bloat.first else { return check(.pass, subject, found: "autovacuum keeps up") }
        return check(.warn, subject, found: FindingText(joining: shown, by: "; "))
            .cured(by: "end old transactions, and check that autovacuum is on", "VACUUM \(first.table)")
    }

    private func connections(_ health: DatabaseHealth) -> Finding {
        let (used, max) = health.connections
        let areMany = used * 100 > max * Self.connectionsMax
        let check = Check(.doctorConnections, "the database has connections left")
        let raise = "ALTER SYSTEM SET max_connections = \(max * 2)"
        return check(areMany ? .warn : .pass, subject, found: "\(used) of \(max) in use")
            .cured(by: "raise max_connections of the server, or lower postgres.connections", raise)
    }
}
