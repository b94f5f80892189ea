/// Everything has a limit.
extension SettingsTable {
    /// The bounds of what the service accepts, stores and does.
    static let limits: [Setting] = [
        Setting(
            "limits.batch",
            .integer(1...5000),
            .integer(500),
            unit: "messages",
            "Messages a worker takes into one transaction."
        ),
        Setting(
            "limits.linger",
            .integer(0...1000),
            .integer(5),
            unit: "ms",
            "Time a worker waits for a batch to fill."
        ),
        Setting(
            "limits.receiveWindow",
            .integer(10...20_000),
            .integer(20_000),
            unit: "messages",
            "Messages the broker sends a worker before it has acknowledged any: among these, senders take turns."
        ),
        Setting(
            "limits.inboxDays",
            .integer(1...90),
            .integer(7),
            unit: "days",
            "Time the ids of reports are remembered, so that a repeat has no second effect."
        ),
        Setting(
            "limits.requestWindow",
            .integer(60...86_400),
            .integer(600),
            unit: "s",
            "Time in which a repeated request gets the first one's answer."
        ),
        Setting(
            "limits.deadLetters",
            .integer(100...1_000_000),
            .integer(10_000),
            unit: "rows",
            "Dead letters kept; the oldest go first."
        ),
        Setting(
            "limits.historyDays",
            .integer(1...3650),
            .integer(30),
            unit: "days",
            "Time reports are kept, where the product does not say."
        ),
        Setting(
            "limits.queuedCommands",
            .integer(1...10_000),
            .integer(100),
            unit: "commands",
            "Commands that may wait for one device."
        ),
        Setting(
            "limits.sessionDays",
            .integer(1...365),
            .integer(7),
            unit: "days",
            "Life of a login session from login or refresh."
        ),
        Setting(
            "limits.auditDays",
            .integer(0...36_500),
            .integer(0),
            unit: "days",
            "Time the audit trail is kept; 0 for good."
        ),
        Setting(
            "limits.codesPerHour",
            .integer(1...10_000_000),
            .integer(1000),
            unit: "1/h",
            "Codes that are sent for one app."
        ),
        Setting(
            "limits.codesPerCountry",
            .integer(1...10_000_000),
            .integer(200),
            unit: "1/h",
            "Codes that are sent for one app to one country code."
        ),
        Setting(
            "limits.deliveryBackoff",
            .integer(1...3600),
            .integer(5),
            unit: "s",
            "Wait before a mail or text that was not accepted is tried again; doubled each time."
        ),
        Setting(
            "limits.pageVisits",
            .integer(10...1_000_000),
            .integer(300),
            unit: "1/min",
            "Pages behind links that one address (of IPv6 one /64) may open."
        ),
        Setting(
            "limits.anonymousPerHour",
            .integer(1...100_000_000),
            .integer(100_000),
            unit: "1/h",
            "New anonymous users of one app."
        ),
        Setting(
            "limits.invitationLife",
            .integer(1...604_800),
            .integer(86_400),
            unit: "s",
            "Time in which an invitation by name can be answered."
        ),
        Setting(
            "limits.invitationCodeLife",
            .integer(1...86_400),
            .integer(900),
            unit: "s",
            "Time in which an invitation's QR code can be scanned."
        ),
        Setting(
            "limits.invitationsPerHour",
            .integer(1...1_000_000),
            .integer(200),
            unit: "1/h",
            "Invitations that one user makes."
        ),
        Setting(
            "limits.invitationDays",
            .integer(1...3650),
            .integer(30),
            unit: "days",
            "Time that invitations are shown after they ended."
        ),
        Setting(
            "limits.homesPerUser",
            .integer(1...100),
            .integer(100),
            unit: "homes",
            "Homes of one user."
        ),
        Setting(
            "limits.triggerLate",
            .integer(60...86_400),
            .integer(300),
            unit: "s",
            "Lateness above which a schedule's occurrence is missed."
        ),
        Setting(
            "limits.triggerSettle",
            .integer(0...60),
            .integer(10),
            unit: "s",
            "Time that late schedules wait for their devices when the broker was restarted."
        ),
        Setting(
            "limits.scheduleRunDays",
            .integer(1...3650),
            .integer(90),
            unit: "days",
            "Time the runs of schedules are remembered."
        ),
        Setting(
            "limits.terminalsPerHour",
            .integer(1...100_000_000),
            .integer(100_000),
            unit: "1/h",
            "New terminals of one app on which users log in."
        ),
        Setting(
            "limits.hashThreads",
            .integer(0...64),
            .integer(0),
            unit: "threads",
            "Passwords hashed at the same time, 19 MiB each; 0: half of the processors."
        ),
        Setting(
            "limits.hashQueue",
            .integer(1...100_000),
            .integer(256),
            unit: "requests",
            "Passwords that wait to be hashed; more are refused for the moment."
        ),
    ]
}
