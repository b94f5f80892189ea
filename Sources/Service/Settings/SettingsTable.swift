/// Every setting there is: reading, checking, `lamplighter config` and the reference are made from it.
///
/// To add a setting, add a row here and, where code reads it, an accessor in `Settings+Values.swift`.
package enum SettingsTable {
    /// The workers that can be chosen with `workers`.
    package static let workerNames = [
        "status", "control", "account", "session", "schedule", "scheduler",
    ]

    /// The words that `log.level` takes, the quietest first.
    package static let logLevels = [
        "none", "error", "warning", "notice", "info", "debug", "trace",
    ]

    /// All rows, in the order they are shown.
    package static let all: [Setting] =
        general + regions + mqtt + broker + http + delivery + limits

    private static let general: [Setting] = [
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

    private static let regions: [Setting] = [
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

    private static let mqtt: [Setting] = [
        Setting(
            "mqtt.host",
            .text,
            .text("127.0.0.1"),
            "Address of the broker; `up` listens there."
        ),
        Setting(
            "mqtt.port",
            .integer(0...65535),
            .integer(1883),
            "Port of the broker; with `up` 0 takes any free one."
        ),
        Setting(
            "mqtt.username",
            .text,
            .text("service:lamplighter"),
            "Name that `serve` gives the broker."
        ),
        Setting(
            "mqtt.passwordFile",
            .text,
            .text(""),
            "File with the password for the broker; empty: service.secret of the data directory."
        ),
        Setting("mqtt.caFile", .text, .text(""), "CA certificates (PEM); set it to use TLS."),
        Setting("mqtt.certificateFile", .text, .text(""), "Client certificate (PEM)."),
        Setting("mqtt.keyFile", .text, .text(""), "Key of the client certificate (PEM)."),
    ]

    private static let broker: [Setting] = [
        Setting(
            "broker.program",
            .text,
            .text(""),
            "Path of mosquitto; empty: looked for in PATH and /usr/sbin."
        ),
        Setting(
            "broker.gate",
            .text,
            .text(""),
            "Path of libLamplighterGate.so; empty: looked for beside the executable."
        ),
        Setting(
            "broker.connections",
            .integer(10...1_000_000),
            .integer(100_000),
            unit: "connections",
            "Connections the broker takes at most."
        ),
        Setting(
            "broker.queuedMessages",
            .integer(1000...10_000_000),
            .integer(200_000),
            unit: "messages",
            "Messages the broker keeps for one client that is away or slow."
        ),
        Setting(
            "broker.queuedMegabytes",
            .integer(1...65_536),
            .integer(256),
            unit: "MiB",
            "Bytes of messages the broker keeps for one such client."
        ),
        Setting(
            "broker.memoryMegabytes",
            .integer(64...1_048_576),
            .integer(2048),
            unit: "MiB",
            "Memory the broker takes at most; beyond it the broker refuses, or starts anew."
        ),
        Setting(
            "broker.newClientsPerMinute",
            .integer(1...1_000_000),
            .integer(30),
            unit: "1/min",
            "New client ids the gate lets in from one source address."
        ),
    ]

    private static let http: [Setting] = [
        Setting("http.host", .text, .text("127.0.0.1"), "Address that HTTP is served on."),
        Setting(
            "http.port",
            .integer(0...65535),
            .integer(8080),
            "Port that HTTP is served on; 0 takes any free one."
        ),
        Setting(
            "http.publicUrl",
            .text,
            .text(""),
            "Address of the service as users reach it, for links; empty: the HTTP address."
        ),
    ]

    private static let delivery: [Setting] = [
        Setting(
            "delivery.email",
            .choice(["auto", "gateway", "smtp", "log"]),
            .text("auto"),
            "How e-mails leave; auto: log with `up`, else gateway."
        ),
        Setting(
            "delivery.sms",
            .choice(["auto", "gateway", "webhook", "log"]),
            .text("auto"),
            "How texts leave; auto: log with `up`, else gateway."
        ),
        Setting("smtp.host", .text, .text(""), "Name of the mail server."),
        Setting(
            "smtp.port",
            .integer(0...65535),
            .integer(0),
            "Port of the mail server; 0: 587 with STARTTLS, 465 with TLS."
        ),
        Setting(
            "smtp.security",
            .choice(["starttls", "tls", "none"]),
            .text("starttls"),
            "How the connection is secured; none to this machine only."
        ),
        Setting("smtp.from", .text, .text(""), "Address that e-mails come from."),
        Setting("smtp.username", .text, .text(""), "User at the mail server; empty: none."),
        Setting("smtp.passwordFile", .text, .text(""), "File with that user's password."),
        Setting("smtp.caFile", .text, .text(""), "CA certificates (PEM); empty: the system's."),
        Setting(
            "smtp.timeout",
            .integer(1...300),
            .integer(30),
            unit: "s",
            "Time handing over one mail may take; then it is tried again later."
        ),
        Setting("webhook.url", .text, .text(""), "Where texts are posted as JSON."),
        Setting(
            "webhook.tokenFile",
            .text,
            .text(""),
            "File with the bearer token for the webhook; empty: none."
        ),
    ]

    private static let limits: [Setting] = [
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
            .integer(10...10_000),
            .integer(1000),
            unit: "messages",
            "Messages the broker sends a worker before it has acknowledged any."
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
            "Bad messages kept; the oldest go first."
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
            "Wait before a mail or text that was not taken is tried again; doubled each time."
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
            "Time that late schedules wait for their devices when the broker began anew."
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
            "New terminals of one app on which somebody logs in."
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

    private static let byKey = Dictionary(
        all.map { ($0.key, $0) },
        uniquingKeysWith: { first, _ in first }
    )

    /// Finds the row of a key.
    package static func setting(_ key: String) -> Setting? { byKey[key] }

    /// The key nearest to a misspelt one, where one is near enough to be meant.
    package static func suggestion(for key: String) -> String? {
        Suggestion.nearest(to: key, among: all.map(\.key))
    }
}
