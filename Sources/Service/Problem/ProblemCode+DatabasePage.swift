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
                reason. A service that is running waits and goes on by itself as soon as one answers; until then
                nothing is acknowledged, and devices and apps repeat what had no answer.
                Try the same address with psql, as the service's user.
                """
            )
        case .databaseReadOnly:
            (
                "no host of the database is writable",
                """
                All hosts that "store" names are standbys, or the database is read-only (also by
                default_transaction_read_only). With several hosts the writable one is found, also after a failover:
                name all of them, as in postgres://lamplighter@db1,db2,db3/lamplighter. While a new primary is being
                elected this is what the service waits for, and it goes on by itself.
                """
            )
        case .databaseRefused:
            (
                "the database refuses the user",
                """
                The server answered, and did not let the user in: the password is missing or wrong, the role or the
                database does not exist, or pg_hba.conf has no line for it. The password stands in the file that
                postgres.passwordFile names, or in ~/.pgpass of the service's user (mode 0600). deploy/postgres/roles.sql
                makes the role and the database.
                """
            )
        case .databaseDurability:
            (
                "the database would forget what was answered",
                """
                synchronous_commit must be "on" or "remote_apply": with another value the server answers a commit before
                it is on disk, and what devices and apps were told could be lost. The service sets it on each connection
                and reads it back; a connection pooler in between that shares connections between clients undoes that.
                Connect to the server itself: one process takes about 20 connections.
                """
            )
        case .databaseEncoding:
            (
                "the database does not store UTF-8",
                """
                Names and values are UTF-8. The encoding is chosen when a database is made and can't be changed: make
                another one, "CREATE DATABASE lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'".
                """
            )
        case .databaseLocale:
            (
                "the database sorts in another way than the service",
                """
                Ids are compared by their bytes, in the service and in the database, so LC_COLLATE must be C. It is
                chosen when a database is made and can't be changed: make another one, "CREATE DATABASE
                lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C'".
                """
            )
        case .databaseTimeouts:
            (
                "the database ignores the time-outs that the service sets",
                """
                Each connection sets idle_in_transaction_session_timeout, lock_timeout and statement_timeout, and reads
                them back: without them a process that is frozen within a transaction would hold its locks, and all
                others would wait for it. A connection pooler in between that shares connections undoes that. Connect to
                the server itself.
                """
            )
        case .databaseClock:
            (
                "the clocks of this machine and of the database differ",
                """
                Deadlines of commands, codes and sessions are compared with this machine's clock, and those of processes
                with the database's. They may differ by a second. Have NTP set both ("timedatectl set-ntp true").
                """
            )
        case .storePassword:
            (
                "the address of the database holds a password",
                """
                An address on the command line, in the environment or in a settings file is seen by others, so that
                a password in it is refused. Put it on the first line of a file of mode 0600 and name that in
                postgres.passwordFile, or into ~/.pgpass of the service's user, or into a service file of libpq's
                (postgres:///?service=lamplighter).
                """
            )
        case .doctorStandbys:
            (
                "the database's standbys",
                """
                Whether servers follow the database, how far they are behind, and whether a commit waits for one. With
                none, what the server's disk loses is lost. An asynchronous one may lack the last moments after a
                failover: name it in synchronous_standby_names. docs/guides/growing.md says more.
                """
            )
        case .doctorDurability:
            (
                "the database's durability",
                """
                Whether fsync and full_page_writes are on. Without them a loss of power can destroy the database, and what
                was answered is lost.
                """
            )
        case .doctorTransactions:
            (
                "old transactions of the database",
                """
                The age of the oldest transaction, whosever it is. While one lasts, no row that was replaced or deleted since can
                be cleared away, and tables grow. The service's own end within seconds; a person's psql, a report or a backup may not.
                """
            )
        case .doctorBloat:
            (
                "rows of the database that were not cleared away",
                """
                Tables with more than 10,000 rows that nobody sees, and more of them than live ones. Autovacuum clears them
                away, unless it is off, too slow, or an old transaction still could see them.
                """
            )
        case .doctorConnections:
            (
                "connections of the database",
                """
                How many of the server's connections are in use, by everybody. A process takes up to
                postgres.connections, most of them a fraction of that. With none left a process waits, and a new one
                does not start.
                """
            )
        default:
            (
                "the database's server makes its own backups",
                """
                "lamplighter backup" copies the file of an installation on one machine. A database of PostgreSQL's is
                copied by its own programs: pg_dump writes one state into a file, pg_basebackup with an archive of the log
                goes back to any moment. Keep server.key, service.secret and tools.secret of a data directory
                beside it: without server.key nobody can log in. After going back to an earlier moment, raise the numbers that devices and
                apps compare: the guide "Growing past one machine" has the statements.
                """
            )
        }
    }
}
