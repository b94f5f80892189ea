package import Domain
package import JSON
import Sodium

/// All data stored about a person, as one document (`userExport` in `schemas/documents.schema.json`).
///
/// A test checks that each column is in a section or explicitly left out. The test's list `leftOut` gives the reasons.
/// Secrets, their hashes, and data about other people are left out.
package enum PersonalData {
    /// The form of a value in the document.
    enum Form {
        case text, integer, real, flag, json, base64
    }

    /// How the rows about a user are selected from a table.
    enum Choice {
        /// The rows that contain the user's id in the given column.
        case column(String)
        /// The events that the user caused.
        case events
        case commands
        /// The terminals on which the user had sessions.
        case terminals
        /// The runs of the user's schedules.
        case runs

        /// The SQL condition that selects the rows, where `$1` is the user's id.
        var condition: String {
            switch self {
            case .column(let name): "\(name) = $1"
            case .events: "actorKind = 'user' AND actorId = $1"
            case .commands:
                """
                did IN (SELECT did FROM binding WHERE uid = $1
                    UNION SELECT did FROM formerBinding WHERE uid = $1)
                    AND (actorKind = 'user' AND actorId = $1 OR uid = $1)
                """
            case .terminals: "terminalId IN (SELECT terminalId FROM session WHERE uid = $1)"
            case .runs: "scheduleId IN (SELECT scheduleId FROM schedule WHERE uid = $1)"
            }
        }
    }

    /// A member of the document, with rows of one table.
    struct Section {
        var name: String
        var table: String
        var choice: Choice
        var order: String
        /// Whether the table has at most one row about the user, so that the member is an object and not an array.
        var isSingle: Bool
        var columns: [(name: String, form: Form)] = []

        /// Describes a member of the document.
        ///
        /// By default, the table has the same name as the member, and the table's column `uid` contains the user's id.
        init(
            _ name: String,
            of table: String? = nil,
            by choice: Choice = .column("uid"),
            order: String,
            isSingle: Bool = false
        ) {
            self.name = name
            self.table = table ?? name
            (self.choice, self.order, self.isSingle) = (choice, order, isSingle)
        }

        /// Returns a copy of the member, with the given columns in the order of the document.
        func columns(_ columns: [(name: String, form: Form)]) -> Section {
            var section = self
            section.columns = columns
            return section
        }

        /// The query for the rows about the user, where `$1` is the user's id.
        var query: String {
            """
            SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(table)
            WHERE \(choice.condition) ORDER BY \(order)
            """
        }
    }

    /// Returns a user's document, read from one state of the database, with times in milliseconds since 1970.
    ///
    /// The document is built in memory. Retention times limit its largest parts, the commands and the events.
    package static func document(
        _ user: User,
        at now: Instant,
        in tx: Transaction
    ) throws
        -> JSONObject
    {
        var document: JSONObject = [
            "format": 1, "uid": .string(user.uid.text),
            "exportedAt": .integer(now.milliseconds),
        ]
        for section in sections {
            let rows = try read(section, of: user.uid, in: tx)
            document[section.name] = section.isSingle ? rows.first ?? JSONValue.null : JSONValue.array(rows)
        }
        document["messages"] = .array(try messages(user, tx))
        document["messageRecords"] = .array(try tx.messageRecords.records(of: user).map { .object(record($0)) })
        return document
    }

    private static func read(_ section: Section, of uid: UserID, in tx: Transaction) throws -> [JSONValue] {
        let columns = section.columns
        return try tx.sql.query(section.query, uid) { row in
            var members = JSONObject()
            for column in columns { members[column.name] = value(row.nextColumn(), as: column.form) }
            return .object(members)
        }
    }

    private static func value(_ column: Column, as form: Form) -> JSONValue {
        guard !column.isNull else { return .null }
        return switch form {
        case .text: .string(String(column))
        case .integer: .integer(column.integer)
        case .real: .double(column.double)
        case .flag: .bool(Bool(column))
        case .base64: .string(Sodium.base64([UInt8](column)))
        case .json: JSONValue(column)
        }
    }

    /// Returns the messages waiting to be sent to the user's addresses, without their content.
    private static func messages(_ user: User, _ tx: Transaction) throws -> [JSONValue] {
        try tx.outgoingMessages.unsent(to: user).map { due in
            .object([
                "channel": .string(due.message.channel.rawValue),
                "to": .string(due.message.to),
                "template": .string(due.message.template.rawValue),
                "tries": .integer(Int64(due.tries)), "state": due.told.map { .string($0) },
                "createdAt": .integer(due.createdAt.milliseconds),
                "expiresAt": .integer(due.message.expiresAt.milliseconds),
            ])
        }
    }

    /// Returns, as JSON, the record that remains of a sent or failed message.
    private static func record(_ record: MessageRecord) -> JSONObject {
        JSONObject([
            ("channel", .string(record.channel.rawValue)), ("to", .string(record.address)),
            ("template", .string(record.template.rawValue)),
            ("appId", .string(record.app.text)), ("provider", .string(record.provider)),
            ("state", .string(record.state.rawValue)), ("tries", .integer(Int64(record.tries))),
            ("error", record.error.map { .string($0) }),
            ("createdAt", .integer(record.createdAt.milliseconds)),
            ("endedAt", .integer(record.endedAt.milliseconds)),
        ])
    }
}
