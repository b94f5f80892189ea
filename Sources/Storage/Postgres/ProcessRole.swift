import PostgreSQL

/// The role of a process among the processes that are connected to the same database.
///
/// Each session first puts the role into its own name (`application_name`). Then it checks for other processes. So if
/// two processes start at once, at least one finds the other.
package enum ProcessRole: Sendable {
    /// A `lamplighter` command, which can run at the same time as any other process.
    case command
    /// A process that shares the work with other processes; leases determine which process does which part.
    case sharing
    /// A process that does all the work, and has its own broker.
    case alone

    /// Returns the name of a process's sessions, which is a pattern if `processID` is a pattern.
    func name(of processID: String) -> String {
        switch self {
        case .command: PostgresSettings.name(of: "command \(processID)")
        case .sharing: PostgresSettings.name(of: processID)
        case .alone: PostgresSettings.name(of: "up \(processID)")
        }
    }

    /// Gives a new session its name, or refuses the session while an incompatible process is connected.
    ///
    /// Without the refusal, messages could be handled twice or by the wrong process. If `isKnown` is true, the database
    /// has already admitted a session of this process. If such a session still exists, the new session is admitted too,
    /// because incompatible processes are refused as long as that session exists.
    ///
    /// - Throws: `PostgresError` with the state `PostgresError.foe` if the session is refused.
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
