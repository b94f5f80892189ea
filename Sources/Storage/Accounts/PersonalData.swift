package import Domain
package import JSON
import Sodium

/// All that is kept about a person, as one document (`userExport` in `schemas/documents.schema.json`).
///
/// Each column of each table is either in a section or in `leftOut` with the reason; a test compares both with the
/// tables that there are. Secrets, their hashes, and what is about other people stay out.
package enum PersonalData {
    /// The form of a value in the document.
    enum Form {
        case text, integer, real, flag, json, base64
    }

    /// The rows of a table that are about a user.
    enum Choice {
        /// Those with the user's id in a column.
        case column(String)
        /// Those that the user caused.
        case events
        case commands
        /// The terminals that the user had sessions on.
        case terminals
        /// The runs of the user's schedules.
        case runs

        /// The condition on a row; `$1` is the user's id.
        var condition: String {
            switch self {
            case .column(let name): "\(name) = $1"
            case .events: "actorKind = 'user' AND actorId = $1"
            case .commands:
                """
                did IN (SELECT did FROM binding WHERE uid = $1
                    UNION SELECT did FROM formerBinding WHERE uid = $1)
                    AND actorKind = 'user' AND actorId = $1
                """
            case .terminals: "terminalId IN (SELECT terminalId FROM session WHERE uid = $1)"
            case .runs: "scheduleId IN (SELECT scheduleId FROM schedule WHERE uid = $1)"
            }
        }
    }

    /// A member of the document: rows of one table.
    struct Section {
        var name: String
        var table: String
        var choice: Choice
        var order: String
        /// Whether there is at most one row, which is then an object instead of a list.
        var isSingle = false
        var columns: [(name: String, form: Form)]
    }

    static let sections = [
        Section(
            name: "account",
            table: "account",
            choice: .column("uid"),
            order: "uid",
            isSingle: true,
            columns: [
                ("uid", .text), ("appId", .text), ("region", .text), ("countryCode", .text),
                ("nickname", .text), ("anonymous", .flag), ("tempUnit", .integer),
                ("timezone", .text), ("createdAt", .integer), ("username", .text),
                ("phone", .text), ("phoneCountry", .text), ("phoneVerified", .flag),
                ("phoneSince", .integer), ("email", .text), ("emailClaim", .integer),
                ("emailSince", .integer), ("pendingPhone", .text), ("pendingPhoneCountry", .text),
                ("pendingEmail", .text), ("externalUid", .text), ("profile", .json),
                ("avatar", .text), ("avatarUrl", .text), ("lastSeenAt", .integer),
                ("lastLoginAt", .integer),
            ]
        ),
        Section(
            name: "avatar",
            table: "avatar",
            choice: .column("uid"),
            order: "uid",
            isSingle: true,
            columns: [("digest", .text), ("mediaType", .text), ("image", .base64)]
        ),
        Section(
            name: "identities",
            table: "identity",
            choice: .column("uid"),
            order: "provider",
            columns: [
                ("appId", .text), ("region", .text), ("provider", .text), ("subject", .text),
                ("linkedAt", .integer),
            ]
        ),
        Section(
            name: "terminals",
            table: "terminal",
            choice: .terminals,
            order: "createdAt",
            columns: [("terminalId", .text), ("appId", .text), ("createdAt", .integer)]
        ),
        Section(
            name: "sessions",
            table: "session",
            choice: .column("uid"),
            order: "loginTime",
            columns: [
                ("sessionId", .text), ("appId", .text), ("terminalId", .text), ("platform", .text),
                ("os", .text), ("name", .text), ("loginTime", .integer), ("expiresAt", .integer),
                ("lastSeenAt", .integer), ("endedAt", .integer), ("endReason", .text),
            ]
        ),
        Section(
            name: "homes",
            table: "home",
            choice: .column("uid"),
            order: "createdAt",
            columns: [
                ("homeId", .text), ("name", .text), ("latitude", .real), ("longitude", .real),
                ("createdAt", .integer),
            ]
        ),
        Section(
            name: "homeDevices",
            table: "homeDevice",
            choice: .column("uid"),
            order: "did",
            columns: [("did", .text), ("homeId", .text)]
        ),
        Section(
            name: "devices",
            table: "binding",
            choice: .column("uid"),
            order: "boundAt",
            columns: [
                ("did", .text), ("appId", .text), ("role", .text), ("access", .text),
                ("subscribed", .flag), ("alias", .text), ("remark", .text), ("boundAt", .integer),
                ("guestUntil", .integer), ("sharingId", .text),
            ]
        ),
        Section(
            name: "formerDevices",
            table: "formerBinding",
            choice: .column("uid"),
            order: "did",
            columns: [("did", .text)]
        ),
        Section(
            name: "sharingsGiven",
            table: "sharing",
            choice: .column("inviterUid"),
            order: "createdAt",
            columns: sharingColumns + [("addresseeKind", .text), ("addressee", .text)]
        ),
        Section(
            name: "sharingsReceived",
            table: "sharing",
            choice: .column("guestUid"),
            order: "createdAt",
            columns: sharingColumns
        ),
        Section(
            name: "schedules",
            table: "schedule",
            choice: .column("uid"),
            order: "createdAt",
            columns: [
                ("scheduleId", .text), ("did", .text), ("appId", .text), ("date", .text),
                ("weekDays", .integer), ("monthDays", .integer), ("time", .text), ("sun", .flag),
                ("timezone", .text), ("attrs", .json), ("remark", .text), ("enabled", .flag),
                ("misfire", .text), ("createdAt", .integer), ("activeSince", .integer),
                ("updatedAt", .integer), ("nextAt", .integer),
            ]
        ),
        Section(
            name: "scheduleRuns",
            table: "scheduleRun",
            choice: .runs,
            order: "scheduleId, dueAt",
            columns: [
                ("scheduleId", .text), ("dueAt", .integer), ("firedAt", .integer),
                ("state", .text), ("cid", .integer), ("error", .text), ("code", .integer),
            ]
        ),
        Section(
            name: "commands",
            table: "command",
            choice: .commands,
            order: "createdAt, seq",
            columns: [
                ("did", .text), ("cid", .integer), ("sn", .integer), ("kind", .text),
                ("state", .text), ("data", .json), ("bytes", .text), ("actorTerminal", .text),
                ("appId", .text), ("createdAt", .integer), ("expiresAt", .integer),
                ("doneAt", .integer), ("code", .integer), ("result", .json), ("late", .flag),
                ("mode", .text), ("refusal", .text), ("steps", .json),
            ]
        ),
        Section(
            name: "events",
            table: "event",
            choice: .events,
            order: "ts, seq",
            columns: [
                ("did", .text), ("ts", .integer), ("eventId", .text), ("type", .text),
                ("name", .text), ("value", .json), ("reason", .text), ("actorTerminal", .text),
            ]
        ),
        Section(
            name: "links",
            table: "link",
            choice: .column("uid"),
            order: "createdAt",
            columns: [
                ("kind", .text), ("createdAt", .integer), ("expiresAt", .integer),
                ("usedAt", .integer),
            ]
        ),
        Section(
            name: "logoutCode",
            table: "logoutCode",
            choice: .column("uid"),
            order: "uid",
            isSingle: true,
            columns: [("expiresAt", .integer), ("usedAt", .integer)]
        ),
        Section(
            name: "cancellation",
            table: "cancellation",
            choice: .column("uid"),
            order: "uid",
            isSingle: true,
            columns: [("deletesAt", .integer), ("erasedAt", .integer)]
        ),
        Section(
            name: "audit",
            table: "audit",
            choice: .column("uid"),
            order: "id",
            columns: [
                ("at", .integer), ("kind", .text), ("appId", .text), ("actorKind", .text),
                ("terminalId", .text), ("detail", .text),
            ]
        ),
    ]

    private static let sharingColumns: [(name: String, form: Form)] = [
        ("sharingId", .text), ("did", .text), ("appId", .text), ("way", .text), ("access", .text),
        ("guestMinutes", .integer), ("status", .text), ("createdAt", .integer),
        ("expiresAt", .integer), ("acceptedAt", .integer), ("changedAt", .integer),
    ]

    /// What is in no section, as a table or as `table.column`, with the reason.
    static let leftOut: [String: String] = {
        var out = [
            "meta": "facts about the installation",
            "product": "not about people", "listedMac": "not about people",
            "app": "not about people", "service": "not about people",
            "device": "about the device, whichever user has it",
            "status": "about the device, whichever user has it",
            "history": "what devices reported; `lamplighter history export` gives it",
            "historyBuffer": "what devices reported; `lamplighter history export` gives it",
            "inbox": "ids of devices' reports", "dispatch": "which devices have commands waiting",
            "notice": "ids of broker messages that took effect", "zone": "time zones",
            "waiter": "where the answer to a command goes, until it has one",
            "outbox": "messages until the broker has them",
            "refresh": "which retained statuses are to be published again",
            "replan": "whose schedules are to be planned again",
            "deadLetter": "messages that could not be understood; not kept by person",
            "attempt": "counts of tries within a day, which limit them",
            "code": "hashes alone; not kept by person",
            "ticket": "hashes alone; not kept by person",
            "request": "answers, kept for ten minutes to be repeated",
            "refusal": "connections of clients that did not prove who they are",
            "account.deviceIdHash": "a hash", "account.passwordHash": "a hash",
            "session.tokenHash": "a hash", "session.oldTokenHash": "a hash",
            "session.oldTokenUntil": "of the hash", "identity.accessToken": "a secret",
            "link.tokenHash": "a hash", "link.content": "a secret",
            "logoutCode.codeHash": "a hash", "sharing.addresseeHash": "a hash",
            "sharing.codeHash": "a hash", "schedule.secretAttrs": "a secret of the device",
            "command.secret": "a secret of the device",
            "sharing.inviterUid": "of the two one is this person, the other is another",
            "sharing.guestUid": "of the two one is this person, the other is another",
        ]
        for column in ["usernameKey", "emailKey", "pendingEmailKey"] {
            out["account.\(column)"] = "the same in the form that is compared"
        }
        for column in ["command.seq", "event.seq", "audit.id"] { out[column] = "the row's number" }
        for table in ["command", "event"] {
            out["\(table).actorKind"] = "the person"
            out["\(table).actorId"] = "the person"
        }
        for column in ["actorId", "actorTerminal"] {
            out["audit.\(column)"] = "where it is the person's, `terminalId` has it"
        }
        for column in ["lastCid", "checkedTo"] {
            out["formerBinding.\(column)"] = "how far erasing would be"
        }
        // Sealed; `messages` has what is no secret.
        for column in [
            "messageId", "channel", "dummy", "content", "tries", "told", "dueAt", "createdAt",
            "expiresAt",
        ] {
            out["delivery.\(column)"] = "in `messages`, without the content"
        }
        for table in [
            "avatar", "identity", "session", "home", "homeDevice", "binding", "formerBinding",
            "schedule", "link", "logoutCode", "cancellation", "audit",
        ] {
            out["\(table).uid"] = "the person"
        }
        return out
    }()

    /// Returns the document of a user: one state of the database, times in milliseconds since 1970.
    ///
    /// It is made in memory: the largest parts, commands and events, are bound by their retention.
    package static func document(
        _ user: User,
        at now: Instant,
        in tx: Transaction
    ) throws
        -> JSONObject
    {
        var document = JSONObject([
            ("format", 1), ("uid", .string(user.uid.text)),
            ("exportedAt", .integer(now.milliseconds)),
        ])
        for section in sections {
            let rows = try read(section, of: user.uid, in: tx)
            document[section.name] =
                section.isSingle ? rows.first ?? JSONValue.null : JSONValue.array(rows)
        }
        document["messages"] = .array(try messages(user, tx))
        return document
    }

    private static func read(
        _ section: Section,
        of uid: UserID,
        in tx: Transaction
    ) throws -> [JSONValue] {
        let columns = section.columns
        return try tx.sql.query(
            """
            SELECT \(columns.map(\.name).joined(separator: ", ")) FROM \(section.table)
            WHERE \(section.choice.condition) ORDER BY \(section.order)
            """,
            uid
        ) { row in
            var members = JSONObject()
            for column in columns {
                members[column.name] = value(row.nextColumn(), as: column.form)
            }
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

    /// Returns what is to be sent to the user's addresses, without what it says.
    private static func messages(_ user: User, _ tx: Transaction) throws -> [JSONValue] {
        try tx.outgoingMessages.unsent(to: user).map { due in
            .object(
                JSONObject([
                    ("channel", .string(due.message.channel.rawValue)),
                    ("to", .string(due.message.to)),
                    ("template", .string(due.message.template.rawValue)),
                    ("tries", .integer(Int64(due.tries))), ("state", due.told.map { .string($0) }),
                    ("createdAt", .integer(due.createdAt.milliseconds)),
                    ("expiresAt", .integer(due.message.expiresAt.milliseconds)),
                ])
            )
        }
    }
}
