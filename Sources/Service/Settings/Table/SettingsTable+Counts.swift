/// The quotas of one terminal, one source address, one app and one product.
extension SettingsTable {
    /// Counts below every quota; a source address is an IPv4 address or an IPv6 /64, and connections from
    /// the machine itself have none.
    static let counts: [Setting] = users + devices + slowWork

    private static let users: [Setting] = [
        count("codesPerTerminal", 5, "1/h", "Addresses to which one terminal has codes sent."),
        count("codesPerSource", 20, "1/h", "Codes that one source address has sent."),
        count("mailsPerTerminal", 20, "1/h", "Mails with links that one terminal has sent."),
        count("mailsPerSource", 100, "1/h", "Mails with links that one source address has sent."),
        count("anonymousPerTerminal", 10, "1/d", "New anonymous users of one terminal."),
        count("anonymousPerSource", 60, "1/h", "New anonymous users of one source address."),
        count("namedPerTerminal", 5, "1/h", "New named users of one terminal."),
        count("namedPerSource", 30, "1/h", "New named users of one source address."),
        count("namedPerHour", 100_000, "1/h", "New named users of one app."),
        count("sessionsPerTerminal", 120, "1/h", "Logins of one terminal."),
        count(
            "hashesPerTerminal",
            20,
            "1/15 min",
            "Passwords that one terminal has hashed or compared, right ones too."
        ),
    ]

    private static let devices: [Setting] = [
        count(
            "registrationsPerSource",
            30,
            "1/min",
            "New devices of one product from one source address."
        ),
        count("registrationsPerProduct", 10_000, "1/h", "New devices of one product."),
        count("bindTriesPerUser", 5, "1/15 min", "Wrong proofs of one user for one device."),
        count("bindTriesPerTerminal", 10, "1/15 min", "Wrong proofs of one terminal."),
        count("bindTriesPerDevice", 50, "1/15 min", "Wrong proofs of all users for one device."),
        Setting(
            "limits.unboundDays",
            .integer(1...36_500),
            .integer(30),
            unit: "days",
            "Time after which a device that was never bound and not seen is erased."
        ),
    ]

    private static let slowWork: [Setting] = [
        count(
            "hashesAtOnce",
            2,
            "requests",
            "Passwords of one terminal that are hashed, or wait for it, at once."
        ),
        count("hashesAtOncePerSource", 8, "requests", "The same of one source address."),
        count("providerCallsAtOnce", 4, "calls", "Calls to identity providers for one terminal."),
        count("providerCallsAtOncePerSource", 16, "calls", "The same for one source address."),
        count(
            "readsAtOncePerSource",
            32,
            "requests",
            "History queries from one source address that are answered, or wait, at once."
        ),
        Setting(
            "limits.slowQueueBytes",
            .integer(65_536...(1 << 30)),
            .integer(1 << 20),
            unit: "bytes",
            "Passwords, or history queries, that wait for a background pool."
        ),
        Setting(
            "limits.waitingBytes",
            .integer(1 << 20...(1 << 30)),
            .integer(16 << 20),
            unit: "bytes",
            "Requests of one worker that wait for a background pool."
        ),
        Setting(
            "limits.countRows",
            .integer(10_000...100_000_000),
            .integer(1_000_000),
            unit: "rows",
            "Counts that are kept; those that end first go first."
        ),
        Setting(
            "limits.requestRows",
            .integer(10_000...100_000_000),
            .integer(2_000_000),
            unit: "rows",
            "Requests that are remembered for repeats; the oldest go first."
        ),
        Setting(
            "limits.requestBytes",
            .integer(1 << 20...(1 << 40)),
            .integer(512 << 20),
            unit: "bytes",
            "Such requests with their answers, all together; the oldest go first."
        ),
        Setting(
            "limits.deadLetterBytes",
            .integer(1 << 20...(1 << 40)),
            .integer(64 << 20),
            unit: "bytes",
            "Dead letters kept, all together; the oldest go first."
        ),
    ]

    private static func count(
        _ name: String,
        _ standard: Int,
        _ unit: String,
        _ doc: String
    ) -> Setting {
        Setting("limits.\(name)", .integer(1...100_000_000), .integer(standard), unit: unit, doc)
    }
}
