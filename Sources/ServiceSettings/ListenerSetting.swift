/// The setting of a listener's port that can be switched off, by its key.
package enum ListenerSetting: String, Sendable {
    /// MQTT with TLS.
    case mqttTLS = "mqtt.tlsPort"
    /// MQTT with TLS for devices that show a certificate.
    case clientCertificate = "mqtt.clientCertificatePort"
    /// MQTT over WebSocket.
    case webSocket = "mqtt.webSocketPort"
    /// MQTT over WebSocket with TLS.
    case webSocketTLS = "mqtt.webSocketTlsPort"
    /// The pages with TLS.
    case httpTLS = "http.tlsPort"

    /// The value that switches a listener off.
    fileprivate static let off = -1
}

extension Settings {
    /// Returns whether the port of a listener was set.
    package func isGiven(_ listener: ListenerSetting) -> Bool { origin(listener.rawValue) != .standard }

    /// Returns the port of a listener: nil if it is switched off, 0 for any free port.
    package func port(_ listener: ListenerSetting) -> Int? {
        let port = integer(listener.rawValue)
        // Services that share a machine, above all in tests, request free ports with one setting.
        if origin(listener.rawValue) == .standard, mqttPort == 0 || httpPort == 0 { return 0 }
        return port == ListenerSetting.off ? nil : port
    }
}
