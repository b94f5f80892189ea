/// Access from other machines: certificates, and the listeners that use them.
extension SettingsTable {
    /// Certificates, and whether listeners without them are allowed beyond loopback.
    static let tls: [Setting] = [
        Setting("insecure", .flag, standard: .flag(false))
            .effect(
                "Whether plain MQTT and HTTP may listen beyond loopback: secrets are sent in the clear. mqtt.host is checked with `up` only: with `serve` it is the address of a broker that is set up separately."
            ),
        Setting("tls.host", .text, standard: .text(""))
            .effect("Address that listeners with TLS use; empty: all addresses of this machine."),
        Setting("tls.certificate", .text, standard: .text(""))
            .effect(
                "Certificate of the server with its chain up to the authority (PEM); empty: tls/server.pem of the data directory."
            ),
        Setting("tls.key", .text, standard: .text(""))
            .effect(
                "Key of the server's certificate (PEM); empty: tls/server.key of the data directory."
            ),
        Setting("tls.authority", .text, standard: .text(""))
            .effect(
                "Authority of devices' certificates (PEM); empty: tls/authority.pem of the data directory."
            ),
    ]

    /// The broker's and the relay's other ports.
    static let mqttListeners: [Setting] = [
        ListenerSetting.mqttTLS.row,
        ListenerSetting.clientCertificate.row,
        ListenerSetting.webSocket.row,
        ListenerSetting.webSocketTLS.row,
        Setting("mqtt.webSocketOrigins", .text, standard: .text(""))
            .effect(
                "Origins of pages that may connect by WebSocket, such as https://app.example.com, separated by commas; * is any. Pages of this machine always may, and with TLS pages of its own name."
            ),
    ]

    /// Bounds on WebSockets.
    static let webSocketLimits: [NumberSetting] = [
        .webSocketConnections,
        .webSocketPerAddress,
        .webSocketUpgrade,
        .webSocketKilobytes,
    ]
}

/// The setting of a listener's port that can be switched off.
package struct ListenerSetting: Sendable {
    /// The setting's row of the table.
    package let row: Setting

    /// The value that switches a listener off.
    static let off = -1

    private init(_ key: String, standard: Int, doc: String) {
        row = Setting(key, .integer(Self.off...65_535), standard: .integer(standard))
            .effect(
                doc
                    + " -1 switches it off; 0 takes any free one, as does omitting it when mqtt.port or http.port is 0."
            )
    }

    /// MQTT with TLS.
    package static let mqttTLS = ListenerSetting(
        "mqtt.tlsPort",
        standard: 8883,
        doc: "Port of MQTT with TLS, once there is a certificate (`lamplighter tls init`)."
    )
    /// MQTT with TLS for devices that show a certificate.
    package static let clientCertificate = ListenerSetting(
        "mqtt.clientCertificatePort",
        standard: 8884,
        doc: "Port of MQTT with TLS for devices that show a certificate instead of their secret."
    )
    /// MQTT over WebSocket.
    package static let webSocket = ListenerSetting(
        "mqtt.webSocketPort",
        standard: 8083,
        doc:
            "Port of MQTT over WebSocket at http.host; off with `serve` unless it is given."
    )
    /// MQTT over WebSocket with TLS.
    package static let webSocketTLS = ListenerSetting(
        "mqtt.webSocketTlsPort",
        standard: 8084,
        doc: "Port of MQTT over WebSocket with TLS, once there is a certificate."
    )
    /// The pages with TLS.
    package static let httpTLS = ListenerSetting(
        "http.tlsPort",
        standard: 8443,
        doc: "Port of the pages with TLS, once there is a certificate."
    )
}

extension Settings {
    /// Returns whether the port of a listener was set.
    package func isGiven(_ listener: ListenerSetting) -> Bool {
        origin(listener.row.key) != .standard
    }

    /// Returns the port of a listener: nil if it is switched off, 0 for any free port.
    package func port(_ listener: ListenerSetting) -> Int? {
        let key = listener.row.key
        let port = integer(key)
        // Services that share a machine, above all in tests, request free ports with one setting.
        if origin(key) == .standard, mqttPort == 0 || httpPort == 0 { return 0 }
        return port == ListenerSetting.off ? nil : port
    }
}

/// Numbers that code reads by their names.
extension NumberSetting {
    static let webSocketConnections = NumberSetting(
        "limits.webSocketConnections",
        standard: 4096,
        in: 16...60_000,
        unit: "connections"
    )
    .effect(
        "WebSockets that are open at once; beyond that, the oldest one that is not open yet is closed."
    )
    static let webSocketPerAddress = NumberSetting(
        "limits.webSocketPerAddress",
        standard: 256,
        in: 1...60_000,
        unit: "connections"
    )
    .effect("WebSockets of one source address (for IPv6 one /64), except this machine's own.")
    static let webSocketUpgrade = NumberSetting(
        "limits.webSocketUpgrade",
        standard: 10,
        in: 1...600,
        unit: "s"
    )
    .effect("Time for a connection to become a WebSocket, TLS included.")
    static let webSocketKilobytes = NumberSetting(
        "limits.webSocketKilobytes",
        standard: 128,
        in: 70...4096,
        unit: "KiB"
    )
    .effect(
        "Bytes buffered for a WebSocket in each direction until the other side takes them; also the largest frame."
    )
}
