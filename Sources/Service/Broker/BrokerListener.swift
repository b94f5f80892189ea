import Files
import ServiceSettings

/// One address that the broker of `up` listens on.
struct BrokerListener: Sendable, Equatable {
    /// The encryption and client authentication of a listener.
    enum Kind: Sendable, Equatable {
        /// No TLS.
        case plain
        /// TLS, and MQTT's user name and password.
        case tls
        /// TLS, and a client certificate instead of a password.
        case clientCertificates
    }

    let kind: Kind
    let port: Int
    /// Nil for all addresses.
    let host: String?

    /// Returns the listener's lines of mosquitto.conf, with the broker's copies of the certificates.
    func text(_ files: TLSFiles, connections: Int, qos: Int) -> String {
        var lines = [
            "listener \(port)" + (host.map { " \($0)" } ?? ""), "max_connections \(connections)", "max_qos \(qos)",
        ]
        if kind != .plain {
            lines += [
                "certfile \(files.certificate)", "keyfile \(files.key)",
                // Mosquitto accepts this version and all later ones.
                "tls_version tlsv1.2",
            ]
        }
        if kind == .clientCertificates {
            // The gate reads the device's id from the certificate: with use_subject_as_username Mosquitto wouldn't ask
            // it.
            lines += ["cafile \(files.authority)", "require_certificate true"]
        }
        return lines.joined(separator: "\n")
    }

    /// Returns the broker's listeners.
    static func all(_ settings: Settings, _ ports: ListenerPorts) -> [BrokerListener] {
        let plain = LocalHosts.withRelays(of: settings.mqttHost).map {
            BrokerListener(kind: .plain, port: ports.mqtt, host: $0)
        }
        let secure: [(Kind, Int?)] = [(.tls, ports.mqttTLS), (.clientCertificates, ports.clientCertificate)]
        return plain
            + secure.compactMap { kind, port in
                port.map { BrokerListener(kind: kind, port: $0, host: settings.tlsHost) }
            }
    }
}
