/// The listeners that can be switched off; the raw value is the key of the setting for the listener's port.
package enum ListenerSetting: String, Sendable {
    /// The listener of MQTT with TLS.
    case mqttTLS = "mqtt.tlsPort"
    /// The listener of MQTT with TLS for devices that present a certificate.
    case clientCertificate = "mqtt.clientCertificatePort"
    /// The listener of MQTT over WebSocket without TLS.
    case webSocket = "mqtt.webSocketPort"
    /// The listener of MQTT over WebSocket with TLS.
    case webSocketTLS = "mqtt.webSocketTlsPort"
    /// The listener of the web pages with TLS.
    case httpTLS = "http.tlsPort"

    /// The value that switches a listener off.
    fileprivate static let off = -1
}

extension Settings {
    /// Returns whether the port of a listener was set explicitly.
    package func isGiven(_ listener: ListenerSetting) -> Bool { origin(listener.rawValue) != .standard }

    /// Returns a listener's port (0 stands for any free port), or nil if the listener is switched off.
    package func port(_ listener: ListenerSetting) -> Int? {
        let port = integer(listener.rawValue)
        // If the MQTT or the HTTP port is 0, this port also defaults to 0. Tests that run several services thus need
        // only one setting for free ports.
        if origin(listener.rawValue) == .standard, mqttPort == 0 || httpPort == 0 { return 0 }
        return port == ListenerSetting.off ? nil : port
    }
}
