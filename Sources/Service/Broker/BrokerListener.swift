import Files
import ServiceSettings

/// One address that the broker of `up` listens on.
struct BrokerListener: Sendable, Equatable {
    /// The encryption and client authentication of a listener.
    enum Kind: Sendable, Equatable {
        /// The listener doesn't use TLS.
        case plain
        /// The listener uses TLS, and clients send a user name and a password.
        case tls
        /// The listener uses TLS, and clients present a certificate instead of a password.
        case clientCertificates
    }

    let kind: Kind
    let port: Int
    /// The address to listen on, or nil for all addresses of the machine.
    let host: String?

    /// Returns the listener's lines of mosquitto.conf, which name the broker's copies of the certificates.
    func text(_ files: TLSFiles, connections: Int, qos: Int) -> String {
        var lines = [
            "listener \(port)" + (host.map { " \($0)" } ?? ""), "max_connections \(connections)", "max_qos \(qos)",
        ]
        if kind != .plain {
            lines += [
                "certfile \(files.certificate)", "keyfile \(files.key)",
                // Mosquitto accepts this version of TLS and all later versions.
                "tls_version tlsv1.2",
            ]
        }
        if kind == .clientCertificates {
            // `use_subject_as_username` isn't set: with it, Mosquitto wouldn't ask the gate. The gate itself reads
            // the device's id from the certificate.
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
