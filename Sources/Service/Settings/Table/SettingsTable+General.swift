/// The service itself, and who is served elsewhere.
extension SettingsTable {
    /// Where its files are, and what runs.
    static let general: [Setting] = [
        Setting(
            "data",
            .text,
            .text("./lamplighter-data"),
            "Directory of the database, the secrets and the broker's files."
        ),
        Setting("root", .text, .text("ll/v1"), "First levels of every topic."),
        Setting("log.level", .choice(logLevels), .text("info"), "What is logged; none silences."),
        Setting(
            "workers",
            .choices(workerNames),
            .list(workerNames),
            "Workers that run in this process."
        ),
        Setting("demo", .flag, .flag(true), "Whether `up` makes the demo product and app."),
    ]

    /// Which users live here.
    static let regions: [Setting] = [
        Setting(
            "regions.served",
            .text,
            .text("default"),
            "Regions whose users live here, with commas; the first is that of all other countries."
        ),
        Setting(
            "regions.countries",
            .text,
            .text(""),
            "Regions by country code, such as 86=cn,1=us."
        ),
        Setting(
            "regions.endpoints",
            .text,
            .text(""),
            "Where other regions are served, such as cn=mqtts://cn.example.org."
        ),
    ]

    /// Pages and probes.
    static let http: [Setting] = [
        Setting(
            "http.host",
            .text,
            .text("127.0.0.1"),
            "Address that the pages behind links are served on."
        ),
        Setting(
            "http.port",
            .integer(0...65535),
            .integer(8080),
            "Port that the pages behind links are served on; 0 takes any free one."
        ),
        Setting(
            "http.publicUrl",
            .text,
            .text(""),
            "Address of the service as users reach it, for links; empty: the HTTP address."
        ),
    ]
}
