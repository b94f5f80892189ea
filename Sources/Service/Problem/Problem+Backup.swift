package import Problems

extension Problem {
    /// Makes the problem of backing up or restoring a database that isn't a file on this machine.
    package static func backupOnServer(_ database: String) -> Problem {
        Problem(
            .backupOnServer,
            "a backup copies a file, but the store is a database: \(database)",
            why:
                "the database server has its own backup programs, which can also restore any point in time",
            cures: [
                .init(
                    "pg_dump --format custom --file FILE 'postgres://…'",
                    "a single state, in one file"
                ),
                .init(
                    "pg_basebackup --pgdata DIR",
                    "with an archive of the log: any point in time"
                ),
                .init("--set backup.directory=", "if the settings request backups"),
            ]
        )
    }
}
