/// The broker, and the connection to it.
extension SettingsTable {
    /// The workers' connection.
    static let mqtt: [Setting] = [
        Setting("mqtt.host", .text, standard: .text("127.0.0.1"))
            .effect("Address of the broker; `up` listens there."),
        Setting("mqtt.port", .integer(0...65535), standard: .integer(1883))
            .effect("Port of the broker; with `up`, 0 takes any free one."),
        Setting("mqtt.username", .text, standard: .text("service:lamplighter"))
            .effect("User name with which `serve` connects to the broker."),
        Setting("mqtt.passwordFile", .text, standard: .text(""))
            .effect(
                "File with the password for the broker; empty: service.secret of the data directory."
            ),
        Setting("mqtt.caFile", .text, standard: .text(""))
            .effect("CA certificates (PEM); set it to use TLS."),
        Setting("mqtt.certificateFile", .text, standard: .text(""))
            .effect("Client certificate (PEM)."),
        Setting("mqtt.keyFile", .text, standard: .text(""))
            .effect("Key of the client certificate (PEM)."),
    ]

    /// The broker that `up` starts.
    static let broker: [Setting] = [
        Setting("broker.program", .text, standard: .text(""))
            .effect("Path of mosquitto; empty: looked for in PATH and /usr/sbin."),
        Setting("broker.gate", .text, standard: .text(""))
            .effect("Path of libLamplighterGate.so; empty: looked for beside the executable."),
        NumberSetting.brokerConnections.row,
        NumberSetting.brokerQueuedMessages.row,
        NumberSetting.brokerQueuedMegabytes.row,
        NumberSetting.brokerMemoryMegabytes.row,
        NumberSetting.brokerHeldPercent.row,
        NumberSetting.brokerClientQoS.row,
        GateSetting.newClients.row,
    ]
}

/// Numbers that code reads by their names.
extension NumberSetting {
    static let brokerConnections = NumberSetting(
        "broker.connections",
        standard: 100_000,
        in: 10...1_000_000,
        unit: "connections"
    )
    .effect("Maximum number of connections to the broker.")
    static let brokerQueuedMessages = NumberSetting(
        "broker.queuedMessages",
        standard: 200_000,
        in: 1000...10_000_000,
        unit: "messages"
    )
    .effect("Messages the broker keeps for one client that is offline or slow.")
    static let brokerQueuedMegabytes = NumberSetting(
        "broker.queuedMegabytes",
        standard: 256,
        in: 1...65_536,
        unit: "MiB"
    )
    .effect("Bytes of messages the broker keeps for one such client.")
    static let brokerMemoryMegabytes = NumberSetting(
        "broker.memoryMegabytes",
        standard: 2048,
        in: 64...1_048_576,
        unit: "MiB"
    )
    .effect("Maximum memory of the broker; beyond it, the broker refuses more or is restarted.")
    static let brokerHeldPercent = NumberSetting(
        "broker.heldPercent",
        standard: 25,
        in: 0...100,
        unit: "%"
    )
    .effect(
        "Share of that memory held for products, devices and apps together; near it, the client that holds most is disconnected. 0: any share."
    )
    static let brokerClientQoS = NumberSetting(
        "broker.clientQoS",
        standard: 1,
        in: 1...2,
        unit: "QoS"
    )
    .effect(
        "Highest QoS of clients other than services. QoS 2 makes the broker keep messages that are never completed."
    )
}
