/// The probes for operators, and the bounds that protect a machine.
extension SettingsTable {
    /// Health and metrics.
    static let health: [Setting] = [
        Setting(
            "health.host",
            .text,
            .text("127.0.0.1"),
            "Address that /readyz and /metrics are served on."
        ),
        Setting(
            "health.port",
            .integer(0...65535),
            .integer(8081),
            "Port of /readyz and /metrics; 0 takes any free one, as does leaving it out where http.port is 0."
        ),
    ]

    /// Bounds on HTTP.
    static let operationLimits: [Setting] = [
        Setting(
            "limits.memoryMegabytes",
            .integer(256...1_048_576),
            .integer(2048),
            unit: "MiB",
            "Memory the service takes at most; beyond it the service ends, to be restarted."
        ),
        Setting(
            "limits.diskFreePercent",
            .integer(0...50),
            .integer(5),
            unit: "%",
            "Free part of the data directory's disk below which no message is read; 0: not watched."
        ),
        Setting(
            "limits.diskFreeMegabytes",
            .integer(1...16_777_216),
            .integer(2048),
            unit: "MiB",
            "Free space that is enough, however large the disk is."
        ),
        Setting(
            "limits.refusals",
            .integer(10...100_000),
            .integer(1000),
            unit: "rows",
            "Refusals of the gate kept for `lamplighter refusals`; alike ones of an hour are one row."
        ),
        Setting(
            "limits.refusalDays",
            .integer(1...365),
            .integer(7),
            unit: "days",
            "Time refusals are kept."
        ),
        Setting(
            "limits.httpConnections",
            .integer(16...65_536),
            .integer(1024),
            unit: "connections",
            "Connections that the pages take; then the oldest one without a whole request makes room."
        ),
        Setting(
            "limits.httpPerAddress",
            .integer(1...65_536),
            .integer(64),
            unit: "connections",
            "Connections of one source address (of IPv6 one /64) to the pages; a proxy is one address."
        ),
        Setting(
            "limits.httpHeader",
            .integer(1...600),
            .integer(10),
            unit: "s",
            "Time for a request's header, for its body, and between two requests of a connection."
        ),
    ]
}
