import Certificates
import Service
import ServiceSettings

/// The addresses to which devices and apps connect.
struct ConnectPlaces {
    let mqtt: String
    let mqttTLS: String?
    let webSocket: String?
    let root: String

    init(_ run: RunContext) {
        let (settings, ports) = (run.settings, run.ports)
        func url(_ scheme: String, _ host: String, port: Int) -> String {
            "\(scheme)://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
        let local = ["0.0.0.0", "::"].contains(settings.mqttHost) ? "127.0.0.1" : settings.mqttHost
        mqtt = url("mqtt", local, port: ports.mqtt)
        // Devices on other machines must connect to a name that is in the certificate.
        let name = run.tls?.certificate.names.first ?? local
        mqttTLS = ports.mqttTLS.map { url("mqtts", name, port: $0) }
        webSocket =
            ports.webSocketTLS.map { url("wss", name, port: $0) + "/mqtt" }
            ?? ports.webSocket.map { url("ws", local, port: $0) + "/mqtt" }
        root = settings.root
    }
}
