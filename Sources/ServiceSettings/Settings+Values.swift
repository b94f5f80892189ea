package import Domain

extension Settings {
    /// Directory of all the service's data.
    package var dataDirectory: String { text("data") }
    /// First levels of every topic, without a slash at the end.
    package var root: String { text("root") }
    /// The log level.
    package var logLevel: String { text("log.level") }
    /// The form of the log's lines.
    package var logFormat: LogFormat { LogFormat(rawValue: text("log.format")) ?? .text }
    /// The workers that run here.
    package var workers: [WorkerName] { list("workers").compactMap(WorkerName.init) }
    /// Whether `up` makes the demo product and app.
    package var makesDemo: Bool { flag("demo") }

    /// Regions whose users live here, with commas.
    package var regionsServed: String { text("regions.served") }
    /// Regions by country code, such as `86=cn,1=us`.
    package var regionsOfCountries: String { text("regions.countries") }
    /// Addresses of other regions, such as `cn=mqtts://cn.example.org`.
    package var regionEndpoints: String { text("regions.endpoints") }

    /// Address of the broker.
    package var mqttHost: String { text("mqtt.host") }
    /// Port of the broker; 0 for any free port.
    package var mqttPort: Int { integer("mqtt.port") }
    /// Name that `serve` gives the broker.
    package var mqttUsername: String { text("mqtt.username") }
    /// File with the password that `serve` gives the broker.
    package var mqttPasswordFile: String? { optional("mqtt.passwordFile") }
    /// CA certificates; TLS is used if they are given.
    package var mqttCAFile: String? { optional("mqtt.caFile") }
    /// Client certificate for the broker.
    package var mqttCertificateFile: String? { optional("mqtt.certificateFile") }
    /// Key of the client certificate.
    package var mqttKeyFile: String? { optional("mqtt.keyFile") }

    /// Path of mosquitto; nil to look for it.
    package var brokerProgram: String? { optional("broker.program") }
    /// Path of the gate; nil to look for it.
    package var brokerGate: String? { optional("broker.gate") }
    /// The maximum number of connections to the broker.
    package var brokerConnections: Int { number(.brokerConnections) }
    /// The maximum number of messages that the broker keeps for one client.
    package var brokerQueuedMessages: Int { number(.brokerQueuedMessages) }
    /// The maximum bytes of messages that the broker keeps for one client.
    package var brokerQueuedBytes: Int { number(.brokerQueuedMegabytes) << 20 }
    /// The maximum bytes of memory that the broker takes.
    package var brokerMemoryBytes: Int { number(.brokerMemoryMegabytes) << 20 }
    /// The maximum bytes of the broker's memory held for products, devices and apps together; 0 for
    /// any.
    package var brokerHeldBytes: Int { brokerMemoryBytes * number(.brokerHeldPercent) / 100 }
    /// The highest QoS of clients other than services.
    package var brokerClientQoS: Int { number(.brokerClientQoS) }

    /// Whether plain listeners are allowed on addresses other than loopback.
    package var isInsecure: Bool { flag("insecure") }
    /// Address of the listeners with TLS; nil for all addresses of this machine.
    package var tlsHost: String? { optional("tls.host") }
    /// The server's certificate.
    package var tlsCertificate: String? { optional("tls.certificate") }
    /// Key of the server's certificate.
    package var tlsKey: String? { optional("tls.key") }
    /// The authority of devices' certificates.
    package var tlsAuthority: String? { optional("tls.authority") }

    /// Address that the pages are served on.
    package var httpHost: String { text("http.host") }
    /// Port that the pages are served on; 0 for any free port.
    package var httpPort: Int { integer("http.port") }
    /// Address that health and metrics are served on.
    package var healthHost: String { text("health.host") }
    /// Port that health and metrics are served on; 0, the default if the pages' port is 0, for any
    /// free port.
    package var healthPort: Int {
        httpPort == 0 && origin("health.port") == .standard ? 0 : integer("health.port")
    }
    /// Whether the operators' console is served.
    package var hasConsole: Bool { flag("console.enabled") }
    /// Address that the console is served on.
    package var consoleHost: String { text("console.host") }
    /// Port of the console; 0, the default if the pages' port is 0, for any free port.
    package var consolePort: Int {
        httpPort == 0 && origin("console.port") == .standard ? 0 : integer("console.port")
    }
    /// Whether the console is behind a proxy with TLS.
    package var consoleProxy: Bool { flag("console.proxy") }
    /// Address at which operators reach the console; nil to derive it from the listener.
    package var consoleURL: String? { optional("console.url") }
    /// Directory that the console's files are served from; nil for the built-in files.
    package var consoleDirectory: String? { optional("console.directory") }
    /// Address at which users reach the service.
    package var publicURL: String? { optional("http.publicUrl") }

    /// The maximum number of connections to the pages.
    package var httpConnections: Int { number(.httpConnections) }
    /// The maximum number of connections from one source address to the pages.
    package var httpPerAddress: Int { number(.httpPerAddress) }
    /// The time for a request's header, in seconds.
    package var httpHeaderSeconds: Int64 { Int64(number(.httpHeader)) }
    /// The maximum number of pages behind links that one address can open in a minute.
    package var pageVisits: Int { number(.pageVisits) }
    /// Origins of pages that are allowed to connect by WebSocket, with commas.
    package var webSocketOrigins: String { text("mqtt.webSocketOrigins") }
    /// The maximum number of WebSockets that are open at once.
    package var webSocketConnections: Int { number(.webSocketConnections) }
    /// The maximum number of WebSockets from one source address.
    package var webSocketPerAddress: Int { number(.webSocketPerAddress) }
    /// The time for a connection to become a WebSocket, in seconds.
    package var webSocketUpgradeSeconds: Int64 { Int64(number(.webSocketUpgrade)) }
    /// The maximum bytes buffered for a WebSocket in each direction.
    package var webSocketBufferBytes: Int { number(.webSocketKilobytes) << 10 }
    /// The maximum bytes of memory that the service takes.
    package var memoryBytes: Int { number(.memoryMegabytes) << 20 }
    /// The part of the data directory's disk to leave free.
    package var diskReserve: DiskReserve {
        .init(
            percent: number(.diskFreePercent),
            bytesMax: Int64(number(.diskFreeMegabytes)) << 20
        )
    }

    /// Directory that backups are written to; nil if the service makes none.
    package var backupDirectory: String? { optional("backup.directory") }
    /// Seconds between two backups.
    package var backupSeconds: Int { seconds("backup.every") }
    /// The number of backups that are kept.
    package var backupsKept: Int { number(.backupsKept) }
    /// File with the passphrase of backups; nil if they aren't encrypted.
    package var backupPassphraseFile: String? { optional("backup.passphraseFile") }

    /// The route of e-mails: `auto, gateway, smtp` or `log`.
    package var emailDelivery: String { text("delivery.email") }
    /// The route of texts: `auto, gateway, webhook` or `log`.
    package var smsDelivery: String { text("delivery.sms") }

    /// Name of the mail server.
    package var smtpHost: String { text("smtp.host") }
    /// Port of the mail server; 0 for the usual port of its kind of security.
    package var smtpPort: Int { integer("smtp.port") }
    /// The security of the connection to the mail server.
    package var smtpSecurity: String { text("smtp.security") }
    /// Sender's address of e-mails.
    package var smtpFrom: String { text("smtp.from") }
    /// User at the mail server.
    package var smtpUser: String? { optional("smtp.username") }
    /// File with the password at the mail server.
    package var smtpPasswordFile: String? { optional("smtp.passwordFile") }
    /// CA certificates for the mail server.
    package var smtpCAFile: String? { optional("smtp.caFile") }
    /// The time limit for sending one mail, in seconds.
    package var smtpTimeout: Int { number(.smtpTimeout) }
    /// The URL that texts are posted to.
    package var webhookURL: String { text("webhook.url") }
    /// File with the bearer token for the webhook.
    package var webhookTokenFile: String? { optional("webhook.tokenFile") }
}
