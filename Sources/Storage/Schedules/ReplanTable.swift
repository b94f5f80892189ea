package import Domain

/// The time zone data that schedules were planned with, and the schedules to plan again.
package struct ReplanTable {
    let transaction: Transaction
    private var sql: SQL { transaction.sql }

    /// The schedules to plan again, and the reason.
    package enum Subject: Hashable, Sendable {
        /// The rules of a zone have changed, or the clock went back.
        case zone(String)
        /// A user moved, which changes the times of sunrise and sunset.
        case user(UserID)

        var text: String {
            switch self {
            case .zone(let name): "zone:\(name)"
            case .user(let uid): "user:\(uid.text)"
            }
        }

        init(_ text: String) {
            let name = String(text.dropFirst(5))
            self = text.hasPrefix("user:") ? .user(UserID(trusted: name)) : .zone(name)
        }
    }

    // MARK: Zones

    /// Returns the data of a zone, as it is in force; nil for one that no schedule has used.
    package func zone(_ name: String) throws -> [UInt8]? {
        try sql.first("SELECT rules FROM zone WHERE name = $1", name) {
            $0.next()
        }
    }

    /// Returns the zones that schedules have used, with their data.
    package func zones() throws -> [(name: String, rules: [UInt8])] {
        try sql.query("SELECT name, rules FROM zone ORDER BY name") { ($0.next(), $0.next()) }
    }

    /// Puts a zone's data into force.
    package func setZone(_ name: String, _ rules: [UInt8]) throws {
        try sql.run(
            """
            INSERT INTO zone (name, rules) VALUES ($1, $2)
            ON CONFLICT (name) DO UPDATE SET rules = excluded.rules
            """,
            name,
            rules
        )
    }

    // MARK: Schedules to plan again

    /// Asks for the schedules of a subject to be planned again, from the first on.
    package func add(_ subject: Subject) throws {
        try sql.run(
            """
            INSERT INTO replan (subject, reached) VALUES ($1, '')
            ON CONFLICT (subject) DO UPDATE SET reached = ''
            """,
            subject.text
        )
    }

    /// Forgets that a user's schedules are to be planned again.
    func forget(_ uid: UserID) throws {
        try sql.run("DELETE FROM replan WHERE subject = $1", Subject.user(uid).text)
    }

    /// Returns whether any schedule is to be planned again.
    package func isWaiting() throws -> Bool {
        try sql.integer("SELECT 1 FROM replan LIMIT 1") != nil
    }

    /// Removes and returns the next schedules to plan again; empty at a subject's end.
    package func takeSchedules(limit: Int) throws -> [Schedule] {
        let first = try sql.first("SELECT subject, reached FROM replan ORDER BY subject LIMIT 1") {
            ($0.next(String.self), $0.next(String.self))
        }
        guard let (text, reached) = first else { return [] }
        let table = transaction.schedules
        let taken =
            switch Subject(text) {
            case .zone(let name): try table.ofZone(name, after: reached, limit: limit)
            case .user(let uid): try table.bySun(of: uid.text, after: reached, limit: limit)
            }
        if taken.count == limit, let last = taken.last {
            try sql.run("UPDATE replan SET reached = $1 WHERE subject = $2", last.id, text)
        } else {
            try sql.run("DELETE FROM replan WHERE subject = $1", text)
        }
        return taken
    }
}
