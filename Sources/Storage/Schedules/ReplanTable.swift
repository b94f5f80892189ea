package import Domain

/// The time zone data with which schedules were planned, and the schedules that must be planned again.
package struct ReplanTable: TransactionTable {
    let transaction: Transaction

    /// A group of schedules that must be planned again, with the reason.
    package enum Subject: Hashable, Sendable {
        /// A zone's schedules, because the zone's rules changed or the clock was set back.
        case zone(String)
        /// A user's schedules, because the user moved, which changes sunrise and sunset.
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

    /// Returns the data that determines the plans of a zone's schedules, or nil if no schedule used the zone.
    package func zone(_ name: String) throws -> [UInt8]? {
        try sql.value("SELECT rules FROM zone WHERE name = $1", name)
    }

    /// Returns the time zones that schedules have used, together with the data of each time zone.
    package func zones() throws -> [(name: String, rules: [UInt8])] {
        try sql.query("SELECT name, rules FROM zone ORDER BY name") { ($0.next(), $0.next()) }
    }

    /// Stores the zone data with which a time zone's schedules are planned from now on.
    package func setZone(_ name: String, _ rules: [UInt8]) throws {
        try sql.run(
            "INSERT INTO zone (name, rules) VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET rules = excluded.rules",
            name,
            rules
        )
    }

    // MARK: Schedules to plan again

    /// Stores a request to replan the schedules of a time zone or a user.
    package func add(_ subject: Subject) throws {
        if case .user(let uid) = subject { try transaction.requireLock(of: uid) }
        try sql.run(
            "INSERT INTO replan (subject, reached) VALUES ($1, '') ON CONFLICT (subject) DO UPDATE SET reached = ''",
            subject.text
        )
    }

    /// Deletes the request to replan a user's schedules.
    func forget(_ uid: UserID) throws {
        try transaction.requireLock(of: uid)
        try sql.run("DELETE FROM replan WHERE subject = $1", Subject.user(uid).text)
    }

    /// Returns whether any schedule must be planned again.
    package func isWaiting() throws -> Bool { try sql.integer("SELECT 1 FROM replan LIMIT 1") != nil }

    /// A page of the schedules of a time zone or of a user.
    package struct Page: Sendable {
        fileprivate var subject: String
        /// The schedules; the array is empty if the time zone or user has no more schedules.
        package var schedules: [Schedule]
        fileprivate var isLast: Bool

        /// An array with the user who moved; for a time zone's schedules, the array is empty.
        package var users: [UserID] { if case .user(let uid) = Subject(subject) { [uid] } else { [] } }
    }

    /// Returns the next schedules to plan again, or nil if nothing is left.
    package func next(limit: Int) throws -> Page? {
        let first = try sql.first("SELECT subject, reached FROM replan ORDER BY subject LIMIT 1") {
            ($0.next(String.self), $0.next(String.self))
        }
        guard let (text, reached) = first else { return nil }
        let table = transaction.schedules
        let taken =
            switch Subject(text) {
            case .zone(let name): try table.ofZone(name, after: reached, limit: limit)
            case .user(let uid): try table.bySun(of: uid.text, after: reached, limit: limit)
            }
        return Page(subject: text, schedules: taken, isLast: taken.count < limit)
    }

    /// Records the last schedule of a page, so that the next page starts after this schedule.
    ///
    /// After the last page, the request is deleted.
    package func finish(_ page: Page) throws {
        for uid in page.users { try transaction.requireLock(of: uid) }
        if let last = page.schedules.last, !page.isLast {
            try sql.run("UPDATE replan SET reached = $1 WHERE subject = $2", last.id, page.subject)
        } else {
            try sql.run("DELETE FROM replan WHERE subject = $1", page.subject)
        }
    }
}
