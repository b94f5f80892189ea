import PostgreSQL

/// What a process is to the others that are connected to its database.
///
/// Each of its sessions says so first, by its name (`application_name`), and looks for others then: of two that begin at the
/// same moment at least one finds the other.
package enum ProcessRole: Sendable {
    /// A command, which works beside any other process.
    case command
    /// One that shares the work with others by leases.
    case sharing
    /// One that does all the work, with a broker of its own.
    case alone

    /// What the server calls the sessions of a process; a pattern where its id is one.
    func name(of processID: String) -> String {
        switch self {
        case .command: PostgresSettings.name(of: "command \(processID)")
        case .sharing: PostgresSettings.name(of: processID)
        case .alone: PostgresSettings.name(of: "up \(processID)")
        }
    }

    /// Names a new session, and refuses it beside a process that must not work beside this one.
    ///
    /// Each message would be handled by one of them, or by both. Where `isKnown`, and other sessions of the process are
    /// there, it is the others that may not work: nothing is refused then.
    /// - Throws: `PostgresError`, of the state `PostgresError.foe` where there is one.
    func enter(_ sql: SQL, as processID: String, isKnown: Bool) throws {
        let own = name(of: processID)
        _ = try sql.query("SELECT set_config('application_name', $1, false)", own) { row in
            row.next(String.self)
        }
        let foes: (ProcessRole, ProcessRole)
        switch self {
        case .command: return
        case .sharing: foes = (.alone, .alone)
        case .alone: foes = (.alone, .sharing)
        }
        let found = try sql.first(
            """
            SELECT application_name FROM pg_stat_activity
            WHERE datname = current_database() AND application_name <> $1
                AND (application_name LIKE $2 OR application_name LIKE $3)
                AND NOT ($4 = 1 AND EXISTS (SELECT 1 FROM pg_stat_activity
                    WHERE application_name = $1 AND pid <> pg_backend_pid()))
            LIMIT 1
            """,
            own,
            foes.0.name(of: PostgresDatabase.anyProcess),
            foes.1.name(of: PostgresDatabase.anyProcess),
            isKnown
        ) { $0.next(String.self) }
        guard let found else { return }
        throw PostgresError(state: PostgresError.foe, message: "\(found) works on the database")
    }
}
