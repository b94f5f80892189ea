extension PersonalData {
    /// The members of the document, in their order.
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
}
