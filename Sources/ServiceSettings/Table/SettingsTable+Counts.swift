import Domain

extension SettingsTable {
    /// The limits of all quotas.
    ///
    /// A source address is an IPv4 address or an IPv6 /64; connections from the machine itself have
    /// none.
    static let counts: [NumberSetting] = users + devices + slowWork + history

    private static let users: [NumberSetting] = [
        NumberSetting("limits.codesPerTerminal", sets: \.counts.codesPerTerminal, unit: "1/h")
            .effect("Addresses to which codes are sent for one terminal."),
        NumberSetting("limits.codesPerSource", sets: \.counts.codesPerSource, unit: "1/h")
            .effect("Codes that are sent for one source address."),
        NumberSetting("limits.mailsPerTerminal", sets: \.counts.mailsPerTerminal, unit: "1/h")
            .effect("Mails with links that are sent for one terminal."),
        NumberSetting("limits.mailsPerSource", sets: \.counts.mailsPerSource, unit: "1/h")
            .effect("Mails with links that are sent for one source address."),
        NumberSetting(
            "limits.anonymousPerTerminal",
            sets: \.counts.anonymousPerTerminal,
            unit: "1/d"
        )
        .effect("New anonymous users of one terminal."),
        NumberSetting("limits.anonymousPerSource", sets: \.counts.anonymousPerSource, unit: "1/h")
            .effect("New anonymous users of one source address."),
        NumberSetting("limits.namedPerTerminal", sets: \.counts.namedPerTerminal, unit: "1/h")
            .effect("New named users of one terminal."),
        NumberSetting("limits.namedPerSource", sets: \.counts.namedPerSource, unit: "1/h")
            .effect("New named users of one source address."),
        NumberSetting("limits.namedPerHour", sets: \.counts.namedPerApp, unit: "1/h")
            .effect("New named users of one app."),
        NumberSetting("limits.sessionsPerTerminal", sets: \.counts.sessionsPerTerminal, unit: "1/h")
            .effect("Logins of one terminal."),
        NumberSetting(
            "limits.hashesPerTerminal",
            sets: \.counts.hashesPerTerminal,
            unit: "1/15 min"
        )
        .effect("Passwords hashed or compared for one terminal, correct ones included."),
    ]

    private static let devices: [NumberSetting] = [
        NumberSetting(
            "limits.registrationsPerSource",
            sets: \.counts.registrationsPerSource,
            unit: "1/min"
        )
        .effect("New devices of one product from one source address."),
        NumberSetting(
            "limits.registrationsPerProduct",
            sets: \.counts.registrationsPerProduct,
            unit: "1/h"
        )
        .effect("New devices of one product."),
        NumberSetting("limits.bindTriesPerUser", sets: \.counts.bindTriesPerUser, unit: "1/15 min")
            .effect("Wrong proofs of one user for one device; wrong scanned codes of one user."),
        NumberSetting(
            "limits.bindTriesPerTerminal",
            sets: \.counts.bindTriesPerTerminal,
            unit: "1/15 min"
        )
        .effect("Wrong proofs of one terminal."),
        NumberSetting(
            "limits.bindTriesPerDevice",
            sets: \.counts.bindTriesPerDevice,
            unit: "1/15 min"
        )
        .effect("Wrong proofs for one device, from all users together."),
        NumberSetting("limits.previewsPerTerminal", sets: \.counts.previewsPerTerminal, unit: "1/h")
            .effect("Invitations that one terminal previews before it answers them."),
        NumberSetting(
            "limits.unboundDays",
            sets: \.counts.unboundDays,
            in: 1...36_500,
            unit: "days"
        )
        .effect("Time after which a device that was never bound and has not been seen is erased."),
    ]

    private static let slowWork: [NumberSetting] = [
        NumberSetting("limits.hashesAtOnce", sets: \.counts.hashesAtOnce, unit: "requests")
            .effect("Passwords of one terminal that are being hashed, or wait to be, at once."),
        NumberSetting(
            "limits.hashesAtOncePerSource",
            sets: \.counts.hashesAtOncePerSource,
            unit: "requests"
        )
        .effect("The same for one source address."),
        NumberSetting(
            "limits.providerCallsAtOnce",
            sets: \.counts.providerCallsAtOnce,
            unit: "calls"
        )
        .effect("Calls to identity providers for one terminal."),
        NumberSetting(
            "limits.providerCallsAtOncePerSource",
            sets: \.counts.providerCallsAtOncePerSource,
            unit: "calls"
        )
        .effect("The same for one source address."),
        NumberSetting(
            "limits.readsAtOncePerSource",
            sets: \.counts.readsAtOncePerSource,
            unit: "requests"
        )
        .effect("History queries from one source address that are answered, or wait, at once."),
        NumberSetting(
            "limits.answerBytes",
            sets: \.answerBytesPerSecond,
            in: 0...(1 << 30),
            unit: "bytes/s"
        )
        .effect("Answers sent to one terminal; beyond that, its requests wait. 0: no limit."),
        NumberSetting(
            "limits.heldPerTerminal",
            sets: \.heldPerTerminal,
            in: 1...10_000,
            unit: "requests"
        )
        .effect(
            "Requests of one terminal that may wait because of limits.answerBytes; more are refused."
        ),
        NumberSetting(
            "limits.slowQueueBytes",
            sets: \.backgroundQueueBytes,
            in: 65_536...(1 << 30),
            unit: "bytes"
        )
        .effect("Passwords, or history queries, that wait for a background pool."),
        NumberSetting(
            "limits.waitingBytes",
            sets: \.waitingBytes,
            in: 1 << 20...(1 << 30),
            unit: "bytes"
        )
        .effect("Requests of one worker that wait for a background pool."),
        NumberSetting(
            "limits.countRows",
            sets: \.counts.rowsMax,
            in: 10_000...100_000_000,
            unit: "rows"
        )
        .effect("Counts that are kept; those that expire first are deleted first."),
        NumberSetting(
            "limits.requestRows",
            sets: \.counts.requestRowsMax,
            in: 10_000...100_000_000,
            unit: "rows"
        )
        .effect("Requests that are remembered to answer repeats; the oldest are deleted first."),
        NumberSetting(
            "limits.requestBytes",
            sets: \.counts.requestBytesMax,
            in: 1 << 20...(1 << 40),
            unit: "bytes"
        )
        .effect("Total size of these requests with their answers; the oldest are deleted first."),
        NumberSetting(
            "limits.deadLetterBytes",
            sets: \.counts.deadLetterBytesMax,
            in: 1 << 20...(1 << 40),
            unit: "bytes"
        )
        .effect("Total size of the dead letters kept; the oldest are deleted first."),
    ]

    private static let history: [NumberSetting] = [
        NumberSetting(
            "limits.historyMegabytesPerDay",
            sets: \.historyBytesPerDay,
            times: 1 << 20,
            in: 0...1_048_576,
            unit: "MiB"
        )
        .effect(
            "History one device may write in a day; beyond that, only its state is kept. 0: no limit."
        )
    ]
}
