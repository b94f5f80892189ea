/// The safeguards that stay in force during a race.
///
/// There are four kinds of safeguards: explicit locks, unique keys, counters that both processes increase, and
/// conditions that the database rechecks after it has waited for a row. Without the safeguards, races must end in
/// states that are not allowed. Otherwise, the races wouldn't test the safeguards.
enum Safeguards: Sendable {
    /// All safeguards stay in force.
    case all
    /// The transactions take no explicit locks.
    case withoutLocks
    /// All safeguards are removed: explicit locks, repeated checks of conditions, unique keys (`dropKeys`) and common
    /// counters (`splitCounters`).
    case none

    /// Returns a racer's SQL statement without the safeguards that this case removes.
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

    /// The column that identifies a row, for each table in which only one of the two processes may use or change a row.
    private static let keys = [
        "code": "scope", "ticket": "ticketHash", "logoutCode": "codeHash", "link": "tokenHash", "session": "sessionId",
        "delivery": "messageId",
    ]

    /// Moves the condition of an `UPDATE` statement into a subquery.
    ///
    /// After a wait for a locked row, the database checks the statement's condition again. It doesn't recheck the
    /// condition of a subquery.
    private static func withoutRecheck(_ sql: String) -> String {
        let update = /(?s)UPDATE (\w+) SET (.+)\sWHERE (.+?)(\sRETURNING .+)?/
        guard let match = sql.wholeMatch(of: update), let key = keys[String(match.1)] else { return sql }
        let (table, values, condition) = (match.1, match.2, match.3)
        return """
            UPDATE \(table) SET \(values)
            WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(condition)) \(match.4 ?? "")
            """
    }

    /// Statements that drop the primary key of `inbox`, and all unique indexes that don't belong to a constraint.
    ///
    /// The primary key of `inbox` ensures that each message takes effect only once.
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

    /// The SQL statement that gives each racer its own copy of every counter.
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
