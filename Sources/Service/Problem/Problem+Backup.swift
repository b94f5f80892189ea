package import Problems

extension Problem {
    /// Makes the problem of backing up or restoring a database that isn't a file on this machine.
    package static func backupOnServer(_ database: String) -> Problem {
        Problem(
            .backupOnServer,
            "a backup is of a file, and the store is a database: \(database)",
            why:
                "the database's server copies it by programs of its own, which also go back to any moment",
            cures: [
                .init(
                    "pg_dump --format custom --file FILE 'postgres://…'",
                    "one state, in one file"
                ),
                .init("pg_basebackup --pgdata DIR", "with an archive of the log: any moment"),
                .init("--set backup.directory=", "if the settings ask for backups"),
            ]
        )
    }
}
