import Problems

extension ProblemCode {
    /// The pages of `lamplighter explain` about a PostgreSQL database.
    var databasePage: (title: String, text: String) {
        switch self {
        case .databaseUnreachable:
            (
                "the database cannot be reached",
                """
                The setting "store" names one or more hosts, and none of them answered. The message has each host's
                reason. A running service waits and continues automatically as soon as one answers; until then
                nothing is acknowledged, and devices and apps repeat their unanswered messages.
                Try the same address with psql, as the service's user.
                """
            )
        case .databaseReadOnly:
            (
                "no host of the database is writable",
                """
                All hosts that "store" names are standbys, or the database is read-only (also by
                default_transaction_read_only). With several hosts, the service finds the writable one, also after a failover:
                name all of them, as in postgres://lamplighter@db1,db2,db3/lamplighter. While a new primary is being
                elected, the service waits for it and then continues automatically.
                """
            )
        case .databaseRefused:
            (
                "the database refuses the user",
                """
                The server answered, but did not admit the user: the password is missing or wrong, the role or the
                database does not exist, or pg_hba.conf has no line for it. The password is in the file that
                postgres.passwordFile names, or in ~/.pgpass of the service's user (mode 0600). deploy/postgres/roles.sql
                creates the role and the database.
                """
            )
        case .databaseDurability:
            (
                "the database could lose what was confirmed",
                """
                synchronous_commit must be "on" or "remote_apply": with another value the server confirms a commit before
                it is on disk, and what the service confirmed to devices and apps could be lost. The service sets it on each
                connection and reads it back; a connection pooler that shares connections between clients undoes that.
                Connect to the server directly: one process uses about 20 connections.
                """
            )
        case .databaseEncoding:
            (
                "the database does not store UTF-8",
                """
                Names and values are UTF-8. The encoding is chosen when a database is created and can't be changed: create
                a new one, "CREATE DATABASE lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'".
                """
            )
        case .databaseLocale:
            (
                "the database sorts differently from the service",
                """
                Ids are compared by their bytes, in the service and in the database, so LC_COLLATE must be C. It is
                chosen when a database is created and can't be changed: create a new one, "CREATE DATABASE
                lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'".
                """
            )
        case .databaseTimeouts:
            (
                "the database ignores the time-outs that the service sets",
                """
                Each connection sets idle_in_transaction_session_timeout, lock_timeout and statement_timeout, and reads
                them back: without them, a process frozen in a transaction would hold its locks, and all
                others would wait for it. A connection pooler that shares connections undoes that. Connect to
                the server directly.
                """
            )
        case .databaseClock:
            (
                "the clocks of this machine and of the database differ",
                """
                Deadlines of commands, codes and sessions are compared with this machine's clock, deadlines of processes
                with the database's. The two may differ by a second. Let NTP set both ("timedatectl set-ntp true").
                """
            )
        case .storePassword:
            (
                "the address of the database holds a password",
                """
                An address on the command line, in the environment or in a settings file is visible to others, so a
                password in it is refused. Put it on the first line of a file of mode 0600 and name that file in
                postgres.passwordFile, or put it in ~/.pgpass of the service's user, or in a libpq service file
                (postgres:///?service=lamplighter).
                """
            )
        case .doctorStandbys:
            (
                "the database's standbys",
                """
                Whether standbys follow the database, how far they are behind, and whether a commit waits for one. Without
                a standby, data that the server's disk loses is lost. An asynchronous standby can lack the last moments after
                a failover: name it in synchronous_standby_names. See docs/guides/growing.md.
                """
            )
        case .doctorDurability:
            (
                "the database's durability",
                """
                Whether fsync and full_page_writes are on. Without them, a power failure can destroy the database, and
                confirmed data is lost.
                """
            )
        case .doctorTransactions:
            (
                "old transactions of the database",
                """
                The age of the oldest transaction, of any client. While it lasts, no row replaced or deleted since can be
                removed, and tables grow. The service's own end within seconds; a person's psql, a report or a backup may not.
                """
            )
        case .doctorBloat:
            (
                "dead rows in the database",
                """
                Tables with more than 10,000 dead rows, and more dead than live ones. Autovacuum removes dead rows
                unless it is off, too slow, or an old transaction could still see them.
                """
            )
        case .doctorConnections:
            (
                "connections of the database",
                """
                How many of the server's connections are in use, by all clients. A process uses up to
                postgres.connections, most processes a fraction of that. If none is left, a process waits, and a new one
                does not start.
                """
            )
        default:
            (
                "the database server makes its own backups",
                """
                "lamplighter backup" copies the file of an installation on one machine. A PostgreSQL database is
                copied by its own programs: pg_dump writes one state into a file; pg_basebackup with an archive of the log
                can restore any point in time. Keep server.key, service.secret and tools.secret of a data directory
                with it: without server.key nobody can log in. After going back in time, raise the numbers that devices and
                apps compare: the guide "Growing past one machine" has the statements.
                """
            )
        }
    }
}
