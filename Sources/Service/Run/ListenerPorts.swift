import Problems
import ServiceSettings

/// The ports on which a service listens; the port of a listener that doesn't exist is nil.
package struct ListenerPorts: Sendable, Equatable {
    /// The port of MQTT without TLS; with `serve`, the port of the given broker.
    package var mqtt = 0
    /// The port of MQTT with TLS.
    package var mqttTLS: Int?
    /// The port of MQTT with TLS for devices that present a certificate.
    package var clientCertificate: Int?
    /// The port of MQTT over WebSocket without TLS.
    package var webSocket: Int?
    /// The port of MQTT over WebSocket with TLS.
    package var webSocketTLS: Int?
    /// The port of the web pages without TLS.
    package var http = 0
    /// The port of the web pages with TLS.
    package var httpTLS: Int?
    /// The port of the health pages and the metrics.
    package var health = 0
    /// The port of the operators' console.
    package var console: Int?

    /// Creates the ports of a broker with a single listener.
    package init(mqtt: Int) {
        self.mqtt = mqtt
    }

    /// The facts that decide which listeners there are.
    struct Facts {
        /// Whether the broker is a child of this process.
        var ownsBroker: Bool
        /// Whether there is a certificate for the server.
        var hasCertificate: Bool
        /// Whether there is an authority for the devices' certificates.
        var hasAuthority: Bool
        /// Whether this process relays WebSocket connections to the broker.
        var relays: Bool
        /// Whether this process serves the console.
        var hasConsole = false
    }

    /// Chooses the ports, and checks that they are free.
    ///
    /// - Throws: A `Problem` if another program uses a port, or if two listeners have the same port.
    init(_ settings: Settings, _ facts: Facts) throws {
        let wanted = Self.wanted(settings, facts)
        try Self.checkDistinct(wanted)
        mqtt = settings.mqttPort
        var taken = Set(wanted.map(\.port))
        var refused: [(listener: Wanted, problem: Problem)] = []
        for listener in wanted {
            do {
                let port = try Self.choose(listener, besides: taken)
                taken.insert(port)
                self[keyPath: listener.place] = port
            } catch let problem as Problem where problem.code == .portTaken { refused.append((listener, problem)) }
        }
        if let first = refused.first { throw Self.together(refused) ?? first.problem }
    }

    private static func choose(_ listener: Wanted, besides taken: Set<Int>) throws -> Int {
        var port = 0
        // No listener has bound its port yet, so the search can find a port that was chosen for an earlier listener.
        repeat {
            port = try Ports.choose(
                listener.port,
                hosts: listener.hosts,
                hostSetting: listener.hostSetting,
                cure: listener.cure,
                purpose: listener.purpose
            )
        } while listener.port == 0 && taken.contains(port)
        return port
    }

    /// Returns one problem with one cure for several ports in use, or nil if only one is in use.
    private static func together(_ refused: [(listener: Wanted, problem: Problem)]) -> Problem? {
        guard refused.count > 1 else { return nil }
        let ports = refused.map { "\($0.listener.port)" }.joined(separator: ", ")
        let cures = refused.map(\.listener.cure).joined(separator: " ")
        var others: [Problem.Cure] = []
        for cure in refused.flatMap({ $0.problem.cures.dropFirst() }) where !others.contains(cure) {
            others.append(cure)
        }
        return Problem(
            .portTaken,
            "ports \(ports) are taken",
            at: refused.compactMap(\.problem.place).joined(separator: " "),
            why: refused.map { "\($0.problem.message): \($0.problem.why)" }.joined(separator: "\n"),
            cures: [.init("lamplighter up \(cures)", "any free ports")] + others
        )
    }

    private struct Wanted {
        let name: String
        let place: any WritableKeyPath<ListenerPorts, Int?> & Sendable
        let port: Int
        let hosts: [String]
        /// The name of the setting for the listener's address.
        let hostSetting: String
        let cure: String
        let purpose: String
    }

    private static func wanted(_ settings: Settings, _ facts: Facts) -> [Wanted] {
        plain(settings, facts) + others(settings, facts)
    }

    private static func plain(_ settings: Settings, _ facts: Facts) -> [Wanted] {
        let broker = Wanted(
            name: "the broker",
            place: \.someMQTT,
            port: settings.mqttPort,
            hosts: LocalHosts.of(settings.mqttHost),
            hostSetting: "mqtt.host",
            cure: "--mqtt-port 0",
            purpose: "\"up\" starts its own broker there"
        )
        let pages = Wanted(
            name: "HTTP",
            place: \.someHTTP,
            port: settings.httpPort,
            hosts: LocalHosts.of(settings.httpHost),
            hostSetting: "http.host",
            cure: "--http-port 0",
            purpose: "the pages behind links are served there"
        )
        let health = Wanted(
            name: "health",
            place: \.someHealth,
            port: settings.healthPort,
            hosts: [settings.healthHost],
            hostSetting: "health.host",
            cure: "--health-port 0",
            purpose: "readiness and metrics are served there"
        )
        let console = Wanted(
            name: "the console",
            place: \.console,
            port: settings.consolePort,
            hosts: LocalHosts.of(settings.consoleHost),
            hostSetting: "console.host",
            cure: "--console-port 0",
            purpose: "operators connect there"
        )
        return (facts.ownsBroker ? [broker] : []) + [pages, health] + (facts.hasConsole ? [console] : [])
    }

    private static func others(_ settings: Settings, _ facts: Facts) -> [Wanted] {
        let web = LocalHosts.of(settings.httpHost)
        let secure = [settings.tlsHost ?? LocalHosts.everywhere]
        var list: [Wanted] = []
        func add(
            _ setting: ListenerSetting,
            _ place: any WritableKeyPath<ListenerPorts, Int?> & Sendable,
            hosts: [String],
            purpose: String
        ) {
            guard let port = settings.port(setting) else { return }
            list.append(
                Wanted(
                    name: setting.rawValue,
                    place: place,
                    port: port,
                    hosts: hosts,
                    hostSetting: hosts == secure ? "tls.host" : "http.host",
                    cure: "--set \(setting.rawValue)=0",
                    purpose: purpose
                )
            )
        }
        if facts.relays, facts.ownsBroker || settings.isGiven(.webSocket) {
            add(.webSocket, \.webSocket, hosts: web, purpose: "browsers connect there, over WebSocket")
        }
        guard facts.hasCertificate else { return list }
        add(.httpTLS, \.httpTLS, hosts: secure, purpose: "the pages are served there with TLS")
        if facts.relays {
            add(
                .webSocketTLS,
                \.webSocketTLS,
                hosts: secure,
                purpose: "browsers connect there, over WebSocket with TLS"
            )
        }
        guard facts.ownsBroker else { return list }
        add(.mqttTLS, \.mqttTLS, hosts: secure, purpose: "the broker listens there with TLS")
        if facts.hasAuthority {
            add(
                .clientCertificate,
                \.clientCertificate,
                hosts: secure,
                purpose: "devices with certificates connect there"
            )
        }
        return list
    }

    /// Throws a `Problem` if two listeners are set to the same port.
    private static func checkDistinct(_ wanted: [Wanted]) throws {
        var holders: [Int: String] = [:]
        for listener in wanted where listener.port != 0 {
            guard let holder = holders.updateValue(listener.name, forKey: listener.port) else { continue }
            throw Problem.portGivenTwice(
                port: listener.port,
                holder: holder,
                listener: listener.name,
                host: listener.hosts[0],
                cure: listener.cure
            )
        }
    }

    private var someMQTT: Int? {
        get { mqtt }
        set { mqtt = newValue ?? 0 }
    }
    private var someHTTP: Int? {
        get { http }
        set { http = newValue ?? 0 }
    }
    private var someHealth: Int? {
        get { health }
        set { health = newValue ?? 0 }
    }
}

/// The addresses of a listener without TLS.
package enum LocalHosts {
    /// Returns the addresses to listen on for a host in the settings.
    ///
    /// If the host is 127.0.0.1 or `localhost`, the addresses are 127.0.0.1 and ::1. The address ::1 is left out if the
    /// machine doesn't have it.
    package static func of(_ host: String) -> [String] {
        guard host == "127.0.0.1" || host == "localhost" else { return [host] }
        return Ports.canListen("::1") ? ["127.0.0.1", "::1"] : ["127.0.0.1"]
    }

    /// Returns the addresses on which the broker of `up` listens without TLS.
    ///
    /// The broker always listens on a 127.x address. The WebSocket relay connects from a different loopback address for
    /// each client. The gate therefore counts each client separately.
    static func withRelays(of host: String) -> [String] {
        let hosts = of(host)
        return hosts.contains(where: isReachedByRelay) ? hosts : hosts + ["127.0.0.1"]
    }

    /// Returns the address at which the WebSocket relay reaches the broker of `up`.
    static func relay(of host: String) -> String {
        host.hasPrefix("127.") ? host : "127.0.0.1"
    }

    private static func isReachedByRelay(_ host: String) -> Bool { host == "0.0.0.0" || host.hasPrefix("127.") }

    /// The wildcard address for all addresses of this machine.
    static var everywhere: String { Ports.canListen("::") ? "::" : "0.0.0.0" }

    /// Returns whether an address can be reached only from this machine.
    package static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }

    /// Checks that other machines can't reach a listener without TLS, unless `insecure` is set.
    ///
    /// - Throws: A `Problem` that names the setting.
    static func check(_ settings: Settings, ownsBroker: Bool) throws {
        guard !settings.isInsecure else { return }
        let plain =
            (ownsBroker ? [("mqtt.host", settings.mqttHost)] : [])
            + [("http.host", settings.httpHost), ("health.host", settings.healthHost)]
        for (key, host) in plain where !isLoopback(host) {
            throw Problem.listenerOpen(key: key, host: host)
        }
    }
}
