import Domain

/// The service itself, and the regions that are served elsewhere.
extension SettingsTable {
    /// The places of the service's files, and the parts that run.
    static let general: [Setting] = [
        Setting("data", .text, standard: .text("./lamplighter-data"))
            .effect("Directory of the database, the secrets and the broker's files."),
        Setting(StoreSetting.key, .text, standard: .text(""))
            .effect(
                "PostgreSQL database, postgres://USER@HOST/DATABASE, several hosts separated by commas; empty: a file in the data directory."
            ),
        Setting("postgres.passwordFile", .text, standard: .text(""))
            .effect(
                "File of mode 0600 with the database's password; empty: libpq's .pgpass, or none."
            ),
        Setting("postgres.connections", .integer(10...1000), standard: .integer(60))
            .effect(
                "Connections of this process to the database; beyond that, a thread waits for a free one."
            ),
        Setting("postgres.oneWriter", .flag, standard: .flag(false))
            .effect(
                "Whether writing transactions run one at a time, across all processes with this setting: slower, and depends on no other lock."
            ),
        Setting("serverKeyFile", .text, standard: .text(""))
            .effect(
                "File with the key that seals secrets; empty: server.key of the data directory."
            ),
        Setting("serviceSecretFile", .text, standard: .text(""))
            .effect(
                "File with the workers' password; empty: service.secret of the data directory."
            ),
        Setting("gateFile", .text, standard: .text(""))
            .effect(
                "File that the gate reads; empty: gate/credentials of the data directory; none: the gate is on another machine."
            ),
        Setting("processName", .text, standard: .text(""))
            .effect(
                "Name of this process among several; empty: the machine's name and the process number."
            ),
        Setting("root", .text, standard: .text("ll/v1"))
            .effect("First levels of every topic."),
        Setting("log.level", .choice(logLevels), standard: .text("info"))
            .effect("Lowest level that is logged; none switches the log off."),
        Setting(
            "log.format",
            .choice(LogFormat.allCases.map(\.rawValue)),
            standard: .text(LogFormat.text.rawValue)
        )
        .effect("Format of the log's lines: plain text, or one JSON object each."),
        Setting(
            "workers",
            .choices(WorkerName.allCases.map(\.rawValue)),
            standard: .list(WorkerName.allCases.map(\.rawValue))
        )
        .effect("Workers that run in this process."),
        Setting("demo", .flag, standard: .flag(true))
            .effect("Whether `up` creates the demo product and app."),
    ]

    /// The regions whose users live here, and the other regions' addresses.
    static let regions: [Setting] = [
        Setting("regions.served", .text, standard: .text("default"))
            .effect(
                "Regions whose users live here, separated by commas; the first is the region of all other countries."
            ),
        Setting("regions.countries", .text, standard: .text(""))
            .effect("Regions by country code, such as 86=cn,1=us."),
        Setting("regions.endpoints", .text, standard: .text(""))
            .effect("Where other regions are served, such as cn=mqtts://cn.example.org."),
    ]

    /// The pages behind links.
    static let http: [Setting] = [
        Setting("http.host", .text, standard: .text("127.0.0.1"))
            .effect("Address that the pages behind links are served on."),
        Setting("http.port", .integer(0...65535), standard: .integer(8080))
            .effect("Port that the pages behind links are served on; 0 takes any free one."),
        ListenerSetting.httpTLS.row,
        Setting("http.publicUrl", .text, standard: .text(""))
            .effect(
                "Address of the service as users reach it, for links; empty: the HTTP address."
            ),
    ]
}
