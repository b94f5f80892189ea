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

    /// The number of bytes of the log that a standby can lack without a warning; a busy service writes this number in
    /// some seconds.
    private static let lagMax: Int64 = 64 << 20
    /// The age of a transaction, in seconds, above which the doctor warns, since the server can't remove dead rows
    /// while a transaction is open.
    private static let transactionMax: Int64 = 60
    /// The percentage of connections in use above which the doctor warns.
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
            return check(
                .warn,
                subject,
                evidence: "no standby: if this server's disk fails, its data is lost",
                cure: "make a standby: docs/guides/growing.md, pg_basebackup --write-recovery-conf"
            )
        }
        let count: FindingText = all.count == 1 ? "1 standby" : "\(all.count) standbys"
        let shown = all.map { standby -> FindingText in
            let lag: FindingText = standby.bytesBehind.map { "\($0 >> 10) KiB behind" } ?? "lag not shown"
            return standby.isSynchronous
                ? "\(standby.name) synchronous, \(lag)" : "\(standby.name) asynchronous, \(lag)"
        }
        let evidence: FindingText = "\(count): \(FindingText(joining: shown, by: "; "))"
        if all.contains(where: { ($0.bytesBehind ?? 0) > Self.lagMax }) {
            return check(
                .warn,
                subject,
                evidence: evidence,
                cure: "find out why the standby is slow: its disk, its network, or a long query on it"
            )
        }
        guard all.contains(where: \.isSynchronous) else {
            return check(
                .warn,
                subject,
                evidence: "\(evidence); a failover may lose the last changes",
                cure: "name the standby in synchronous_standby_names, so that a commit waits for it"
            )
        }
        return check(.pass, subject, evidence: evidence)
    }

    private func durability(_ health: DatabaseHealth) -> Finding {
        Check(.doctorDurability, "the database keeps confirmed data")(
            health.isDurable ? .pass : .fail,
            subject,
            evidence: health.isDurable ? "fsync and full_page_writes are on" : "fsync or full_page_writes is off",
            cure: health.isDurable ? "" : "a power failure can destroy the database: switch both on",
            command: health.isDurable ? nil : "ALTER SYSTEM SET fsync = on"
        )
    }

    private func transactions(_ health: DatabaseHealth) -> Finding {
        let oldest = health.oldestTransaction
        let isOld = oldest.seconds > Self.transactionMax
        return Check(.doctorTransactions, "no transaction is old")(
            isOld ? .warn : .pass,
            subject,
            evidence: isOld
                ? "the oldest transaction is \(oldest.seconds) s old, process \(oldest.pid)"
                : "the oldest transaction is \(oldest.seconds) s old",
            cure: isOld ? "end the transaction: while it lasts, deleted rows can't be removed" : "",
            command: isOld ? "SELECT pg_terminate_backend(\(oldest.pid))" : nil
        )
    }

    private func bloat(_ health: DatabaseHealth) -> Finding {
        let shown = health.bloat.map { row -> FindingText in "\(row.table) \(row.dead) dead, \(row.live) live" }
        return Check(.doctorBloat, "old rows are removed from tables")(
            shown.isEmpty ? .pass : .warn,
            subject,
            evidence: shown.isEmpty ? "autovacuum keeps up" : FindingText(joining: shown, by: "; "),
            cure: shown.isEmpty ? "" : "end old transactions, and check that autovacuum is on",
            command: health.bloat.first.map { "VACUUM \($0.table)" }
        )
    }

    private func connections(_ health: DatabaseHealth) -> Finding {
        let (used, max) = health.connections
        let areMany = used * 100 > max * Self.connectionsMax
        return Check(.doctorConnections, "the database has connections left")(
            areMany ? .warn : .pass,
            subject,
            evidence: "\(used) of \(max) in use",
            cure: areMany ? "raise max_connections of the server, or lower postgres.connections" : "",
            command: areMany ? "ALTER SYSTEM SET max_connections = \(max * 2)" : nil
        )
    }
}
