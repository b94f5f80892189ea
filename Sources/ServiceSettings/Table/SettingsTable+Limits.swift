import Domain

extension SettingsTable {
    /// The bounds on the service's input, storage and work.
    static let limits: [NumberSetting] = [
        NumberSetting("limits.batch", sets: \.batchMax, in: 1...5000, unit: "messages")
            .effect("Messages a worker takes into one transaction."),
        NumberSetting("limits.linger", sets: \.batchLinger, in: 0...1000, unit: .milliseconds)
            .effect("Time a worker waits for a batch to fill."),
        NumberSetting(
            "limits.receiveWindow",
            sets: \.receiveMaximum,
            in: 10...20_000,
            unit: "messages"
        )
        .effect(
            "Messages the broker sends a worker before the first is acknowledged; among these, senders take turns."
        ),
        NumberSetting(
            "limits.inboxDays",
            sets: \.inboxSeconds,
            times: 86_400,
            in: 1...90,
            unit: "days"
        )
        .effect("Time the ids of reports are remembered, so that a repeat has no second effect."),
        NumberSetting("limits.requestWindow", sets: \.requestSeconds, in: 60...86_400, unit: "s")
            .effect("Time in which a repeated request gets the first one's answer."),
        NumberSetting(
            "limits.deadLetters",
            sets: \.deadLettersMax,
            in: 100...1_000_000,
            unit: "rows"
        )
        .effect("Dead letters kept; the oldest are deleted first."),
        NumberSetting("limits.historyDays", sets: \.historyDays, in: 1...3650, unit: "days")
            .effect("Time reports are kept, unless the product sets its own."),
        NumberSetting(
            "limits.queuedCommands",
            sets: \.queuedPerDevice,
            in: 1...10_000,
            unit: "commands"
        )
        .effect("Commands that may wait for one device."),
        NumberSetting(
            "limits.sessionDays",
            sets: \.sessionSeconds,
            times: 86_400,
            in: 1...365,
            unit: "days"
        )
        .effect("Lifetime of a login session from login or refresh."),
        NumberSetting("limits.auditDays", sets: \.auditDays, in: 0...36_500, unit: "days")
            .effect("Time the audit trail is kept; 0: forever."),
        NumberSetting("limits.codesPerHour", sets: \.codesPerHour, in: 1...10_000_000, unit: "1/h")
            .effect("Codes that are sent for one app."),
        NumberSetting(
            "limits.codesPerCountry",
            sets: \.codesPerCountry,
            in: 1...10_000_000,
            unit: "1/h"
        )
        .effect("Codes that are sent for one app to one country code."),
        NumberSetting("limits.deliveryBackoff", sets: \.messageBackoff, in: 1...3600, unit: "s")
            .effect(
                "Wait before a mail or text that was not accepted is sent again; doubled each time."
            ),
        .pageVisits,
        NumberSetting("limits.anonymousPerHour", sets: \.anonymousPerHour, unit: "1/h")
            .effect("New anonymous users of one app."),
        NumberSetting(
            "limits.invitationLife",
            sets: \.invitationSeconds,
            in: 1...604_800,
            unit: "s"
        )
        .effect("Time in which an invitation by name can be answered."),
        NumberSetting(
            "limits.invitationCodeLife",
            sets: \.invitationCodeSeconds,
            in: 1...86_400,
            unit: "s"
        )
        .effect("Time in which an invitation's QR code can be scanned."),
        NumberSetting(
            "limits.invitationsPerHour",
            sets: \.invitationsPerHour,
            in: 1...1_000_000,
            unit: "1/h"
        )
        .effect("Invitations that one user makes."),
        NumberSetting(
            "limits.invitationDays",
            sets: \.endedInvitationSeconds,
            times: 86_400,
            in: 1...3650,
            unit: "days"
        )
        .effect("Time that invitations are shown after they have ended."),
        NumberSetting("limits.homesPerUser", sets: \.homesPerUser, in: 1...100, unit: "homes")
            .effect("Homes of one user."),
        NumberSetting("limits.triggerLate", sets: \.triggerLateSeconds, in: 60...86_400, unit: "s")
            .effect(
                "Lateness above which a schedule's occurrence is missed; one that is early by more becomes a dead letter."
            ),
        NumberSetting("limits.triggerSettle", sets: \.triggerSettleSeconds, in: 0...60, unit: "s")
            .effect(
                "Time that overdue occurrences wait for devices when the broker or the scheduler is new (has no session)."
            ),
        NumberSetting(
            "limits.scheduleRunDays",
            sets: \.scheduleRunSeconds,
            times: 86_400,
            in: 1...3650,
            unit: "days"
        )
        .effect("Time the runs of schedules are remembered."),
        NumberSetting("limits.terminalsPerHour", sets: \.terminalsPerHour, unit: "1/h")
            .effect("New terminals of one app on which users log in."),
        NumberSetting("limits.hashThreads", sets: \.hashThreads, in: 0...64, unit: "threads")
            .effect("Passwords hashed at the same time, 19 MiB each; 0: half of the processors."),
        NumberSetting("limits.hashQueue", sets: \.hashQueue, in: 1...100_000, unit: "requests")
            .effect("Passwords that wait to be hashed; more are refused for now."),
    ]
}

/// Numbers that code reads by their names.
extension NumberSetting {
    static let pageVisits = NumberSetting(
        "limits.pageVisits",
        standard: 300,
        in: 10...1_000_000,
        unit: "1/min"
    )
    .effect("Pages behind links that one address (for IPv6 one /64) may open.")
}
