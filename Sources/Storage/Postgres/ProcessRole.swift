import PostgreSQL

/// The role of a process among those connected to its database.
///
/// Each session first announces it by its name (`application_name`), and then checks for others: of two that begin at
/// the same moment, at least one finds the other.
package enum ProcessRole: Sendable {
    /// A command, which works beside any other process.
    case command
    /// A process that shares the work with others by leases.
    case sharing
    /// A process that does all the work, with its own broker.
    case alone

    /// Returns the name of a process's sessions on the server; a pattern if its id is one.
    func name(of processID: String) -> String {
        switch self {
        case .command: PostgresSettings.name(of: "command \(processID)")
        case .sharing: PostgresSettings.name(of: processID)
        case .alone: PostgresSettings.name(of: "up \(processID)")
        }
    }

    /// Names a new session, and refuses it if a process is connected that must not work beside this one.
    ///
    /// Otherwise one of the two processes, or both, would handle each message. If `isKnown` and this process already
    /// has other sessions, the other process is the one to be refused, so this session is not.
    ///
    /// - Throws: `PostgresError`, with the state `PostgresError.foe` for such a process.
    func enter(_ sql: SQL, as processID: String, isKnown: Bool) throws {
        let own = name(of: processID)
        _ = try sql.query("SELECT set_config('application_name', $1, false)", own) { row in row.next(String.self) }
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
        throw PostgresError(state: PostgresError.foe, message: "\(found) is working on the database")
    }
}
