extension PersonalData {
    /// The members of a user's document that contain rows of a table, in the order of the document.
    static let sections: [Section] = [
        Section("account", order: "uid", isSingle: true).columns([
            ("uid", .text), ("appId", .text), ("region", .text), ("countryCode", .text),
            ("nickname", .text), ("anonymous", .flag), ("tempUnit", .integer),
            ("timezone", .text), ("createdAt", .integer), ("username", .text),
            ("phone", .text), ("phoneCountry", .text), ("phoneVerified", .flag),
            ("phoneSince", .integer), ("email", .text), ("emailClaim", .integer),
            ("emailSince", .integer), ("pendingPhone", .text), ("pendingPhoneCountry", .text),
            ("pendingEmail", .text), ("externalUid", .text), ("profile", .json),
            ("avatar", .text), ("avatarUrl", .text), ("lastSeenAt", .integer),
            ("lastLoginAt", .integer),
        ]),
        Section("avatar", order: "uid", isSingle: true).columns([
            ("digest", .text), ("mediaType", .text), ("image", .base64),
        ]),
        Section("identities", of: "identity", order: "provider").columns([
            ("appId", .text), ("region", .text), ("provider", .text), ("subject", .text), ("linkedAt", .integer),
        ]),
        Section("terminals", of: "terminal", by: .terminals, order: "createdAt").columns([
            ("terminalId", .text), ("appId", .text), ("createdAt", .integer),
        ]),
        Section("sessions", of: "session", order: "loginTime").columns([
            ("sessionId", .text), ("appId", .text), ("terminalId", .text), ("platform", .text), ("os", .text),
            ("name", .text), ("loginTime", .integer), ("expiresAt", .integer), ("lastSeenAt", .integer),
            ("endedAt", .integer), ("endReason", .text), ("clientId", .text), ("scopes", .text),
        ]),
        Section("homes", of: "home", order: "createdAt").columns([
            ("homeId", .text), ("name", .text), ("latitude", .real), ("longitude", .real), ("createdAt", .integer),
        ]), Section("homeDevices", of: "homeDevice", order: "did").columns([("did", .text), ("homeId", .text)]),
        Section("devices", of: "binding", order: "boundAt").columns([
            ("did", .text), ("appId", .text), ("role", .text), ("access", .text),
            ("subscribed", .flag), ("alias", .text), ("remark", .text), ("boundAt", .integer),
            ("guestUntil", .integer), ("sharingId", .text),
        ]),
        Section("formerDevices", of: "formerBinding", order: "did").columns([("did", .text)]),
        Section("sharingsGiven", of: "sharing", by: .column("inviterUid"), order: "createdAt")
            .columns(sharingColumns + [("addresseeKind", .text), ("addressee", .text)]),
        Section("sharingsReceived", of: "sharing", by: .column("guestUid"), order: "createdAt")
            .columns(sharingColumns),
        Section("schedules", of: "schedule", order: "createdAt").columns([
            ("scheduleId", .text), ("did", .text), ("appId", .text), ("date", .text), ("weekDays", .integer),
            ("monthDays", .integer), ("time", .text), ("sun", .flag), ("timezone", .text), ("attrs", .json),
            ("remark", .text), ("enabled", .flag), ("misfire", .text), ("createdAt", .integer),
            ("activeSince", .integer), ("updatedAt", .integer), ("nextAt", .integer),
        ]),
        Section("scheduleRuns", of: "scheduleRun", by: .runs, order: "scheduleId, dueAt").columns([
            ("scheduleId", .text), ("dueAt", .integer), ("firedAt", .integer),
            ("state", .text), ("cid", .integer), ("error", .text), ("code", .integer),
        ]),
        Section("commands", of: "command", by: .commands, order: "createdAt, seq").columns([
            ("did", .text), ("cid", .integer), ("sn", .integer), ("kind", .text),
            ("state", .text), ("data", .json), ("bytes", .text), ("actorTerminal", .text),
            ("appId", .text), ("createdAt", .integer), ("expiresAt", .integer),
            ("doneAt", .integer), ("code", .integer), ("result", .json), ("late", .flag),
            ("mode", .text), ("refusal", .text), ("steps", .json),
        ]),
        Section("events", of: "event", by: .events, order: "ts, seq").columns([
            ("did", .text), ("ts", .integer), ("eventId", .text), ("type", .text),
            ("name", .text), ("value", .json), ("reason", .text), ("actorTerminal", .text),
        ]),
        Section("links", of: "link", order: "createdAt").columns([
            ("kind", .text), ("createdAt", .integer), ("expiresAt", .integer),
            ("usedAt", .integer),
        ]),
        Section("logoutCode", order: "uid", isSingle: true).columns([("expiresAt", .integer), ("usedAt", .integer)]),
        Section("cancellation", order: "uid", isSingle: true).columns([("deletesAt", .integer), ("erasedAt", .integer)]
        ),
        Section("notifications", of: "notification", order: "ts, notificationId").columns([
            ("notificationId", .text), ("eventId", .text), ("kind", .text), ("type", .text), ("did", .text),
            ("subject", .text), ("ts", .integer), ("title", .text), ("text", .text), ("data", .json),
            ("isRead", .flag), ("count", .integer), ("clearedAt", .integer), ("hidden", .flag), ("outcome", .text),
            ("why", .text), ("countedIn", .text), ("pushes", .json), ("dueAt", .integer),
        ]),
        Section("notificationSettings", of: "notificationSetting", order: "uid", isSingle: true).columns([
            ("off", .text), ("dids", .json), ("offlineMinutes", .integer), ("quietFrom", .integer),
            ("quietTo", .integer), ("quietZone", .text),
        ]),
        Section("pushAddresses", of: "pushAddress", order: "terminalId").columns([
            ("terminalId", .text), ("appId", .text), ("kind", .text), ("sandbox", .flag), ("since", .integer),
            ("lastOkAt", .integer), ("error", .text), ("countedFrom", .integer), ("pushes", .integer),
            ("leftOut", .integer), ("summaryAt", .integer),
        ]),
        Section("audit", order: "id").columns([
            ("at", .integer), ("kind", .text), ("appId", .text), ("actorKind", .text), ("terminalId", .text),
            ("detail", .text),
        ]),
    ]

    private static let sharingColumns: [(name: String, form: Form)] = [
        ("sharingId", .text), ("did", .text), ("appId", .text), ("way", .text), ("access", .text),
        ("guestMinutes", .integer), ("status", .text), ("createdAt", .integer), ("expiresAt", .integer),
        ("acceptedAt", .integer), ("changedAt", .integer),
    ]
}
