/// The broker, and the way to it.
extension SettingsTable {
    /// The connection that workers have.
    static let mqtt: [Setting] = [
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

    /// The broker that `up` starts.
    static let broker: [Setting] = [
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
            "Memory the broker takes at most; beyond it the broker refuses, or is restarted."
        ),
        Setting(
            "broker.newClientsPerMinute",
            .integer(0...1_000_000),
            .integer(30),
            unit: "1/min",
            "New client ids, of apps and products, the gate lets in from one source address; 0: any number."
        ),
    ]
}
