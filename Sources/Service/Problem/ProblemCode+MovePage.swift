import Problems

extension ProblemCode {
    /// The pages of `lamplighter explain` about moving a store.
    var movePage: (title: String, text: String) {
        switch self {
        case .storeHalfMoved:
            (
                "the store is only partly filled",
                """
                "lamplighter migrate --to" has begun to copy another store into this one, and has not come to its end:
                it was stopped, or found something. Run the same command again: it goes on behind the last row that it
                copied, compares both stores, and only then can this one be used. To give it up, drop the
                database, or delete the directory, and go on with the store that was copied.
                """
            )
        case .moveTargetInUse:
            (
                "a store can't be moved into one that is in use",
                """
                "lamplighter migrate --to" copies everything, and so its target must be empty: a new database
                (CREATE DATABASE lamplighter TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C') or a new directory. A service
                that was started on it once has written there. Choose another one, or drop what is there.
                """
            )
        case .moveOutbox:
            (
                "messages wait to be published",
                """
                Messages of the last transactions are still in the store, since the broker has not confirmed them: the
                service was killed, or stopped without its broker, or a command has changed something since. The message
                names the topics with most of them. Start the service where it was, wait until "lamplighter doctor"
                finds it well, stop it (SIGTERM), which publishes them, and move the store then.
                """
            )
        case .moveSourceInUse:
            (
                "a process still works on the store",
                """
                Only a stopped installation is moved: what a process wrote meanwhile would be missing. Stop every process
                on every machine ("lamplighter cluster status" names them). One that was killed counts as running until
                its time is over, 6 seconds.
                """
            )
        case .moveText:
            (
                "a text can't be stored by PostgreSQL",
                """
                PostgreSQL takes no NUL character and nothing but UTF-8 in texts; SQLite takes both. No present version
                writes such texts. The message names the row by its key, and the column; change or delete it with
                sqlite3 in the stopped installation's lamplighter.db, then run the same command again: it goes on where
                it stood.
                """
            )
        default:
            (
                "the copy of a table is not equal to it",
                """
                After copying, every table is read again on both sides, and its rows are counted and summed up (the first
                8 bytes of each row's SHA-256, modulo 2^64). They differ: something wrote to the source or the
                target while the move was interrupted, or a disk failed. The target stays unusable. Drop it, and
                begin with an empty one.
                """
            )
        }
    }
}
