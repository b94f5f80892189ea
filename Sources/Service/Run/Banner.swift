import Certificates
import Domain
import Files
import Glibc
import Logging
import ServiceSettings
import Workers

/// The text that `up` prints when the service accepts work: addresses and commands to paste.
struct Banner {
    let context: RunContext
    /// A line about the store.
    let store: String
    /// The duration of the start, in seconds.
    let seconds: Double
    /// The console's one-time link; nil if no link is shown.
    var link: String?

    /// The whole text.
    var text: String {
        let (settings, directory) = (context.settings, context.directory)
        let mqtt = Self.url("mqtt", settings.mqttHost, port: context.ports.mqtt)
        let http = Self.url("http", settings.httpHost, port: context.ports.http)
        let health = Self.url("http", settings.healthHost, port: context.ports.health)
        var lines = [
            "lamplighter \(Version.text)   data \(directory.path)\(directory.isNew ? " (new)" : "")"
                + "   config \(settings.file ?? "none, defaults")",
            "  ok  store      \(store)",
            "  ok  broker     \(mqtt)\(context.ownsBroker ? "   Mosquitto, gate loaded" : "")",
            webSocketLine, tlsLine, openLine,
            "  ok  workers    \(settings.workers.map(\.rawValue).joined(separator: " "))",
            "  ok  http       \(http)/   reference \(http)/docs/",
            "  ok  health     \(health)/readyz  /metrics",
            context.ports.console.map { _ in "  ok  console    \(context.consoleURL)/" },
            "ready in \(duration) s",
        ].compactMap(\.self)
        if let link {
            lines += [
                "", "Sign in as operator (works once, for 30 minutes; new link: lamplighter console)", "  \(link)",
            ]
        }
        if let demo = context.demo {
            if webSocketURL != nil {
                lines += ["", "Try it in the browser: a lamp and an app", "  \(http)/docs/try.html"]
            }
            lines += ["", "Try it by hand: paste these into a second terminal, one after the other", ""]
            for (index, step) in tour(demo).steps.enumerated() {
                lines += ["# \(index + 1)  \(step.title)", step.command]
            }
            lines.append("")
        }
        // Without a terminal, as under systemd or in containers, the Ctrl-C hint is left out.
        let stop = (0...2).contains { isatty($0) == 1 } ? "Stop: Ctrl-C.   " : ""
        lines.append("\(stop)Trouble: lamplighter doctor --data '\(directory.path)'")
        return lines.joined(separator: "\n")
    }

    /// The banner's values, for a log in JSON.
    var metadata: Logger.Metadata {
        let (settings, ports) = (context.settings, context.ports)
        var values: Logger.Metadata = [
            "version": "\(Version.text)", "data": "\(context.directory.path)", "config": "\(settings.file ?? "")",
            "store": "\(store)", "mqtt.url": "\(Self.url("mqtt", settings.mqttHost, port: ports.mqtt))",
            "http.url": "\(Self.url("http", settings.httpHost, port: ports.http))",
            "health.url": "\(Self.url("http", settings.healthHost, port: ports.health))",
            "workers": .array(settings.workers.map { "\($0.rawValue)" }), "seconds": "\(duration)",
        ]
        let open = context.openListeners
        if !open.isEmpty { values["open.listeners"] = .array(open.map { "\($0.text)" }) }
        values["console.url"] = context.ports.console.map { _ in "\(context.consoleURL)" }
        values["websocket.url"] = webSocketURL.map { "\($0)" }
        values["tls.until"] = context.tls.map { "\(CertificateText.date($0.certificate.end))" }
        return values
    }

    private var duration: String {
        let tenths = Int((seconds * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private var webSocketURL: String? {
        context.ports.webSocket.map { Self.url("ws", context.settings.httpHost, port: $0) + "/mqtt" }
    }

    private var webSocketLine: String? { webSocketURL.map { "  ok  websocket  \($0)" } }

    /// The line about listeners without TLS that other machines can reach, or nil if there are no such listeners.
    private var openLine: String? {
        let open = context.openListeners.map(\.text).joined(separator: "  ")
        return open.isEmpty ? nil : "  !!  open       \(open)   no TLS: secrets cross the network in the clear"
    }

    /// The line that lists the listeners with TLS, or says how to get such listeners.
    private var tlsLine: String? {
        guard let tls = context.tls else {
            return "  --  tls        none; `lamplighter tls init --name HOST` lets others connect"
        }
        let ports = context.ports
        let listeners: [(String, Int?)] = [
            ("mqtts", ports.mqttTLS), ("wss", ports.webSocketTLS), ("https", ports.httpTLS),
            ("certificates", ports.clientCertificate),
        ]
        let shown = listeners.compactMap { name, port in port.map { "\(name) \($0)" } }
        let line = "tls        \(shown.joined(separator: "  "))"
        guard let concern = tls.concerns(at: SystemClock().now).first(where: \.isUrgent) else {
            return "  ok  \(line)   until \(CertificateText.date(tls.certificate.end).prefix(10))"
        }
        return "  !!  \(line)   \(concern.path): \(concern.text)"
    }

    /// Returns a URL that can be opened from this machine.
    static func url(_ scheme: String, _ host: String, port: Int) -> String {
        "\(scheme)://\(address(reachable(host), port: port))"
    }

    /// Returns a host with a port.
    static func address(_ host: String, port: Int) -> String { "\(host.contains(":") ? "[\(host)]" : host):\(port)" }

    /// Returns the host by which clients on this machine reach a listener; for a wildcard address, this is a loopback
    /// address.
    static func reachable(_ host: String) -> String {
        switch host {
        case "0.0.0.0": "127.0.0.1"
        case "::", "::0", "0:0:0:0:0:0:0:0": "::1"
        default: host
        }
    }

    private func tour(_ demo: DemoKeys) -> Tour {
        Tour(
            host: Self.reachable(context.settings.mqttHost),
            port: context.ports.mqtt,
            root: context.settings.root,
            demo: demo,
            mac: DemoKeys.hex(6),
            terminal: DemoKeys.hex(16)
        )
    }
}
