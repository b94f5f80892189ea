/// What keeps two processes apart that do the same at once, as far as a race leaves it in place.
///
/// There are three kinds: locks that a transaction takes for the sake of others; conditions that the database compares
/// again when it has waited for a row, and unique keys; and counters that both raise. Without them the races must go
/// wrong: else they would not show that these are what it takes, and that the orders meet them.
enum Safeguards: Sendable {
    /// Nothing is taken away.
    case all
    /// Locks are not taken.
    case withoutLocks
    /// Nor do conditions, keys (`dropKeys`) and common counters (`splitCounters`) keep anybody apart.
    case none

    /// Returns a racer's statement as it is without what it lacks.
    func rewrite(_ sql: String, of racer: String) -> String {
        switch self {
        case .all: sql
        case .withoutLocks: Self.withoutLocks(sql)
        case .none: Self.withOwnCounters(Self.withoutRecheck(Self.withoutLocks(sql)), racer)
        }
    }

    private static func withoutLocks(_ sql: String) -> String {
        if sql.hasPrefix("LOCK TABLE") { return "SELECT 1" }
        return [" FOR UPDATE SKIP LOCKED", " FOR UPDATE", " FOR SHARE", " FOR NO KEY UPDATE"]
            .reduce(sql) { $0.replacing($1, with: "") }
    }

    // MARK: Conditions and keys

    /// The key of each table with rows that only one may use, end or change.
    private static let keys = [
        "code": "scope", "ticket": "ticketHash", "logoutCode": "codeHash", "link": "tokenHash",
        "session": "sessionId", "delivery": "messageId",
    ]

    /// Moves the condition of an `UPDATE` into a query within it.
    ///
    /// After a wait for a row the database compares the statement's own condition again, but not that of a query.
    private static func withoutRecheck(_ sql: String) -> String {
        let update = /(?s)UPDATE (\w+) SET (.+)\sWHERE (.+?)(\sRETURNING .+)?/
        guard let match = sql.wholeMatch(of: update), let key = keys[String(match.1)] else {
            return sql
        }
        let (table, values, condition) = (match.1, match.2, match.3)
        return """
            UPDATE \(table) SET \(values)
            WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition)) \(match.4 ?? "")
            """
    }

    /// Drops every unique index that is no constraint, and the key under which a message comes once.
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

    /// Gives each racer its own copy of every counter.
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
