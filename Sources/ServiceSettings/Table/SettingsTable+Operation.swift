import Domain

/// The probes for operators, and the bounds that protect a machine.
extension SettingsTable {
    /// Health and metrics.
    static let health: [Setting] = [
        Setting("health.host", .text, standard: .text("127.0.0.1"))
            .effect("Address that /readyz and /metrics are served on."),
        Setting("health.port", .integer(0...65535), standard: .integer(8081))
            .effect(
                "Port of /readyz and /metrics; 0 takes any free one, as does omitting it when http.port is 0."
            ),
    ]

    /// The operators' console.
    static let console: [Setting] = [
        Setting("console.enabled", .flag, standard: .flag(true))
            .effect("Whether the operators' console is served."),
        Setting("console.host", .text, standard: .text("127.0.0.1"))
            .effect(
                "Address that the console is served on; beyond loopback only with TLS, or behind console.proxy."
            ),
        Setting("console.port", .integer(0...65535), standard: .integer(8082))
            .effect(
                "Port of the console; 0 takes any free one, as does omitting it when http.port is 0."
            ),
        Setting("console.proxy", .flag, standard: .flag(false))
            .effect(
                "Whether a proxy with TLS stands in front of the console; browsers then connect by https."
            ),
        Setting("console.url", .text, standard: .text(""))
            .effect(
                "Address of the console as operators reach it, for links; empty: the listener's."
            ),
        Setting("console.directory", .text, standard: .text(""))
            .effect("Directory that the console's files are served from during their development."),
    ]

    /// Bounds on memory, disk, records for operators, log lines and HTTP.
    static let operationLimits: [NumberSetting] = [
        .memoryMegabytes,
        .diskFreePercent,
        .diskFreeMegabytes,
        NumberSetting("limits.refusals", sets: \.refusalsMax, in: 10...100_000, unit: "rows")
            .effect(
                "Refusals of the gate kept for `lamplighter refusals`; identical ones within an hour are one row."
            ),
        NumberSetting(
            "limits.refusalDays",
            sets: \.refusalSeconds,
            times: 86_400,
            in: 1...365,
            unit: "days"
        )
        .effect("Time refusals are kept."),
        NumberSetting(
            "limits.messageRecords",
            sets: \.messageRecordsMax,
            in: 10...1_000_000,
            unit: "rows"
        )
        .effect("Mails and texts, sent or given up, that the console shows; addresses are masked."),
        NumberSetting(
            "limits.messageRecordDays",
            sets: \.messageRecordSeconds,
            times: 86_400,
            in: 1...365,
            unit: "days"
        )
        .effect("Time these mails and texts are kept."),
        NumberSetting(
            "limits.refusalLines",
            sets: \.refusalLines,
            in: 1...10_000,
            unit: "lines a second"
        )
        .effect(
            "Log lines about refused messages and dead letters; further ones are only counted."
        ),
        .httpConnections,
        .httpPerAddress,
        .httpHeader,
    ]
}

/// Numbers that code reads by their names.
extension NumberSetting {
    static let memoryMegabytes = NumberSetting(
        "limits.memoryMegabytes",
        standard: 2048,
        in: 256...1_048_576,
        unit: "MiB"
    )
    .effect("Maximum memory of the service; beyond it, the service ends so that it is restarted.")
    static let diskFreePercent = NumberSetting(
        "limits.diskFreePercent",
        standard: 5,
        in: 0...50,
        unit: "%"
    )
    .effect(
        "Free share of the data directory's disk below which no message is read; 0: not watched."
    )
    static let diskFreeMegabytes = NumberSetting(
        "limits.diskFreeMegabytes",
        standard: 2048,
        in: 1...16_777_216,
        unit: "MiB"
    )
    .effect("Free space that is always enough, however large the disk is.")
    static let httpConnections = NumberSetting(
        "limits.httpConnections",
        standard: 1024,
        in: 16...65_536,
        unit: "connections"
    )
    .effect(
        "Maximum number of connections to the pages; beyond it, the oldest without a complete request is closed."
    )
    static let httpPerAddress = NumberSetting(
        "limits.httpPerAddress",
        standard: 64,
        in: 1...65_536,
        unit: "connections"
    )
    .effect(
        "Connections of one source address (for IPv6 one /64) to the pages; a proxy is one address."
    )
    static let httpHeader = NumberSetting("limits.httpHeader", standard: 10, in: 1...600, unit: "s")
        .effect(
            "Time for a request's header, for its body, and between two requests on a connection."
        )
}
