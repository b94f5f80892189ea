import Logging
import ServiceSettings

/// A listener without TLS that other machines can reach; only the setting `insecure` allows such a listener.
struct OpenListener: Sendable, Equatable {
    /// The listener's name in the banner.
    let name: String
    /// The listener's address and port.
    let address: String

    /// The name and the address, as operators see them.
    var text: String { "\(name) \(address)" }

    /// Returns a run's listeners that have no TLS and that other machines can reach.
    ///
    /// A broker that the service didn't start is left out. Its own configuration decides where it listens.
    static func all(_ settings: Settings, _ ports: ListenerPorts, ownsBroker: Bool) -> [OpenListener] {
        let plain: [(name: String, host: String, port: Int?)] = [
            ("mqtt", settings.mqttHost, ownsBroker ? ports.mqtt : nil),
            ("websocket", settings.httpHost, ports.webSocket), ("http", settings.httpHost, ports.http),
            ("health", settings.healthHost, ports.health),
        ]
        return plain.compactMap { name, host, port in
            guard let port, !LocalHosts.isLoopback(host) else { return nil }
            return OpenListener(name: name, address: Banner.address(host, port: port))
        }
    }

    /// Logs a warning that names the listeners, if there are any.
    static func warn(of open: [OpenListener], by logger: Logger) {
        guard !open.isEmpty else { return }
        logger.warning(
            "Other machines can reach listeners without TLS: secrets cross the network in the clear",
            metadata: ["listeners": .array(open.map { "\($0.text)" })]
        )
    }
}
