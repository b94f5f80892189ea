/// The safeguards between two processes that do the same at once, as far as a race keeps them.
///
/// There are three kinds: locks that a transaction takes for the sake of others; conditions that the database checks
/// again after it has waited for a row, and unique keys; and counters that both raise. Without them the races must go
/// wrong: otherwise they wouldn't show that the safeguards are needed and that the orders put them to the test.
enum Safeguards: Sendable {
    /// All safeguards are kept.
    case all
    /// Locks are not taken.
    case withoutLocks
    /// Conditions, keys (`dropKeys`) and common counters (`splitCounters`) are removed too.
    case none

    /// Returns a racer's statement without the removed safeguards.
    func rewrite(_ sql: String, of racer: String) -> String {
        switch self {
        case .all: sql
        case .withoutLocks: Self.withoutLocks(sql)
        case .none: Self.withOwnCounters(Self.withoutRecheck(Self.withoutLocks(sql)), racer)
        }
    }

    private static func withoutLocks(_ sql: String) -> String {
        if sql.hasPrefix("LOCK TABLE") { return "SELECT 1" }
        return [" FOR UPDATE SKIP LOCKED", " FOR UPDATE", " FOR SHARE", " FOR NO KEY UPDATE"].reduce(sql) {
            $0.replacing($1, with: "")
        }
    }

    // MARK: Conditions and keys

    /// The key of each table with rows that only one process may use, end or change.
    private static let keys = [
        "code": "scope", "ticket": "ticketHash", "logoutCode": "codeHash", "link": "tokenHash", "session": "sessionId",
        "delivery": "messageId",
    ]

    /// Moves the condition of an `UPDATE` into a subquery.
    ///
    /// After it has waited for a row, the database checks the statement's own condition again, but not a subquery's.
    private static func withoutRecheck(_ sql: String) -> String {
        let update = /(?s)UPDATE (\w+) SET (.+)\sWHERE (.+?)(\sRETURNING .+)?/
        guard let match = sql.wholeMatch(of: update), let key = keys[String(match.1)] else { return sql }
        let (table, values, condition) = (match.1, match.2, match.3)
        return """
            UPDATE \(table) SET \(values)
            WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition)) \(match.4 ?? "")
            """
    }

    /// The statement that drops every unique index that is no constraint, and the key by which a message takes effect
    /// once.
    static let dropKeys = """
        DO $$
        DECLARE name TEXT;
        BEGIN
            FOR name IN
                SELECT CAST(indexrelid::regclass AS TEXT) FROM pg_index
                JOIN pg_class ON pg_class.oid = indexrelid
                WHERE indisunique AND relnamespace = CAST('public' AS regnamespace)
                    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid)
            LOOP
                EXECUTE 'DROP INDEX ' || name;
            END LOOP;
        END $$;
        ALTER TABLE inbox DROP CONSTRAINT inbox_pkey
        """

    // MARK: Counters

    /// The statement that gives each racer its own copy of every counter.
    static let splitCounters = """
        INSERT INTO attempt (subject, count, since, until)
        SELECT subject || racer, count, since, until
        FROM attempt, (VALUES ('A'), ('B')) AS racers (racer)
        """

    private static func withOwnCounters(_ sql: String, _ racer: String) -> String {
        guard sql.contains(/(INTO|FROM|UPDATE) attempt\b/) else { return sql }
        return sql.replacing("VALUES ($1,", with: "VALUES ($1 || '\(racer)',")
            .replacing("subject = $1", with: "subject = $1 || '\(racer)'")
            .replacing("RETURNING subject", with: "RETURNING left(subject, -1)")
    }
}
