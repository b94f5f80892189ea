import Problems

extension ProblemCode {
    /// The pages of `lamplighter explain` about moving a store.
    var movePage: (title: String, text: String) {
        switch self {
        case .storeHalfMoved:
            (
                "the store is only partly filled",
                """
                "lamplighter migrate --to" has begun to copy another store into this one and has not finished:
                it was stopped, or found a problem. Run the same command again: it continues after the last row that it
                copied and compares both stores; only then can this one be used. To abandon the move, drop the
                database, or delete the directory, and continue with the original store.
                """
            )
        case .moveTargetInUse:
            (
                "a store can't be moved into one that is in use",
                """
                "lamplighter migrate --to" copies everything, and so its target must be empty: a new database
                (CREATE DATABASE lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C') or a new directory. A service
                that was once started on it has written to it. Choose another target, or delete its contents.
                """
            )
        case .moveOutbox:
            (
                "messages wait to be published",
                """
                Messages of the last transactions are still in the store, since the broker has not confirmed them: the
                service was killed, or stopped without its broker, or a command has since changed something. The message
                names the topics with the most messages. Start the service where it was, wait until "lamplighter doctor"
                reports no failure, stop it (SIGTERM), which publishes them, and then move the store.
                """
            )
        case .moveSourceInUse:
            (
                "a process still works on the store",
                """
                Only a stopped installation can be moved: anything written during the move would be missing. Stop every
                process on every machine ("lamplighter cluster status" lists them). A killed process counts as running
                for another 6 seconds.
                """
            )
        case .moveText:
            (
                "a text can't be stored by PostgreSQL",
                """
                PostgreSQL accepts only UTF-8 without NUL characters in texts; SQLite accepts anything. No current version
                writes such texts. The message names the row by its key, and the column; change or delete it with
                sqlite3 in the stopped installation's lamplighter.db, then run the same command again: it continues where
                it stopped.
                """
            )
        default:
            (
                "the copy of a table differs from the original",
                """
                After copying, every table is read again on both sides, and its rows are counted and checksummed (the first
                8 bytes of each row's SHA-256, modulo 2^64). They differ: something wrote to the source or the
                target while the move was interrupted, or a disk failed. The target stays unusable. Drop it, and
                start again with an empty one.
                """
            )
        }
    }
}
