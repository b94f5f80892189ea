import Files
import Problems
import ServiceSettings
import Testing

@testable import Service

@Suite struct ListenerTests {
    private func settings(_ flags: [String: String] = [:]) async throws -> Settings {
        try await SettingsReader(file: nil, environment: [:], flags: flags).read()
    }

    private static let all = ListenerPorts.Facts(
        ownsBroker: true,
        hasCertificate: true,
        hasAuthority: true,
        relays: true
    )

    /// Port settings that let the system choose free ports, and so work on every machine.
    private static let anyPorts = ["mqtt.port": "0", "http.port": "0", "health.port": "0", "tls.host": "127.0.0.1"]

    @Test(
        "Without a certificate all listeners are plain; an external broker leaves none but WebSockets on request"
    )
    func which() async throws {
        let settings = try await settings(Self.anyPorts)
        var facts = Self.all

        let everything = try ListenerPorts(settings, facts)
        #expect(
            Set(
                [
                    everything.mqtt, everything.mqttTLS, everything.clientCertificate,
                    everything.webSocket,
                    everything.webSocketTLS, everything.http, everything.httpTLS, everything.health,
                ].compactMap(\.self)
            ).count == 8
        )

        facts.hasCertificate = false
        let plain = try ListenerPorts(settings, facts)
        #expect(plain.webSocket != nil)
        #expect(plain.mqttTLS == nil && plain.webSocketTLS == nil && plain.httpTLS == nil)
        #expect(plain.clientCertificate == nil)

        facts = Self.all
        facts.ownsBroker = false
        let given = try ListenerPorts(settings, facts)
        #expect(given.mqttTLS == nil && given.clientCertificate == nil)
        #expect(given.webSocketTLS != nil && given.httpTLS != nil && given.webSocket == nil)
        let asked = try await self.settings(Self.anyPorts.merging(["mqtt.webSocketPort": "0"]) { $1 })
        #expect(try ListenerPorts(asked, facts).webSocket != nil)

        facts = Self.all
        facts.hasAuthority = false
        facts.relays = false
        let few = try ListenerPorts(settings, facts)
        #expect(few.clientCertificate == nil && few.webSocket == nil && few.webSocketTLS == nil)
        #expect(few.mqttTLS != nil)
    }

    @Test(
        "-1 disables a listener, and using a port twice is an error that names both listeners"
    )
    func asked() async throws {
        var flags = Self.anyPorts
        flags["mqtt.tlsPort"] = "-1"
        #expect(try ListenerPorts(try await settings(flags), Self.all).mqttTLS == nil)

        flags["mqtt.webSocketPort"] = "15999"
        flags["http.tlsPort"] = "15999"
        let settings = try await settings(flags)
        let problem = #expect(throws: Problem.self) { try ListenerPorts(settings, Self.all) }
        #expect(problem?.code == .portTaken)
        #expect(problem?.message.contains("mqtt.webSocketPort") == true)
        #expect(problem?.message.contains("http.tlsPort") == true)
    }

    @Test(
        "An address that this machine doesn't have causes an error that names the setting",
        arguments: ["tls.host", "mqtt.host", "http.host", "health.host"],
        ["203.0.113.77", "lamps.example.com"]
    )
    func foreignHost(_ key: String, _ host: String) async throws {
        let settings = try await settings(Self.anyPorts.merging([key: host]) { $1 })

        let problem = #expect(throws: Problem.self) { try ListenerPorts(settings, Self.all) }

        #expect(problem?.code == .settingInvalid)
        #expect(problem?.place == key)
        #expect(problem?.message.contains(host) == true)
    }

    @Test("The default ports are the documented ones, unless the service chooses free ports")

    func usual() async throws {
        let usual = try await settings()
        #expect(usual.port(.mqttTLS) == 8883)
        #expect(usual.port(.clientCertificate) == 8884)
        #expect(usual.port(.webSocket) == 8083)
        #expect(usual.port(.webSocketTLS) == 8084)
        #expect(usual.port(.httpTLS) == 8443)
        #expect(try await settings(["mqtt.port": "0"]).port(.webSocket) == 0)
        #expect(try await settings(["http.port": "0"]).port(.mqttTLS) == 0)
        #expect(try await settings(["http.port": "0", "mqtt.tlsPort": "8883"]).port(.mqttTLS) == 8883)
    }

    @Test(
        "No listener without TLS is reachable from other machines unless that is requested",
        arguments: ["mqtt.host", "http.host", "health.host"]
    )
    func plain(_ key: String) async throws {
        for host in ["0.0.0.0", "::", "192.0.2.7", "lamps.example.com"] {
            let open = try await settings([key: host])
            let problem = #expect(throws: Problem.self) { try LocalHosts.check(open, ownsBroker: true) }
            #expect(problem?.code == .listenerOpen)
            #expect(problem?.place == key)
            try LocalHosts.check(try await settings([key: host, "insecure": "true"]), ownsBroker: true)
        }
        for host in ["127.0.0.1", "127.0.0.2", "::1", "localhost"] {
            try LocalHosts.check(try await settings([key: host]), ownsBroker: true)
        }
        // With `serve`, this setting is the address of another machine's broker. The service doesn't listen on this
        // address.
        try LocalHosts.check(try await settings(["mqtt.host": "192.0.2.7"]), ownsBroker: false)
    }

    @Test(
        "The WebSocket relay reaches the broker by a loopback address, wherever the broker listens",
        arguments: [
            ("0.0.0.0", ["0.0.0.0"], "127.0.0.1"), ("::", ["::", "127.0.0.1"], "127.0.0.1"),
            ("::1", ["::1", "127.0.0.1"], "127.0.0.1"), ("192.0.2.7", ["192.0.2.7", "127.0.0.1"], "127.0.0.1"),
            ("127.0.0.2", ["127.0.0.2"], "127.0.0.2"),
        ]
    )
    func relays(_ host: String, listens: [String], relay: String) async throws {
        let settings = try await settings(["mqtt.host": host, "insecure": "true"])

        let listeners = BrokerListener.all(settings, ListenerPorts(mqtt: 4711))

        #expect(listeners.map(\.host) == listens)
        #expect(LocalHosts.relay(of: host) == relay)
    }

    @Test("The broker's configuration says which listeners have its certificate, and which require a client's")
    func broker() async throws {
        var ports = ListenerPorts(mqtt: 4711)
        ports.mqttTLS = 4712
        ports.clientCertificate = 4713
        let settings = try await settings(["tls.host": "192.0.2.7", "mqtt.host": "127.0.0.2"])
        let files = TLSFiles(certificate: "/c", key: "/k", authority: "/a")

        let texts = BrokerListener.all(settings, ports).map { $0.text(files, connections: 9, qos: 1) }

        #expect(
            texts == [
                "listener 4711 127.0.0.2\nmax_connections 9\nmax_qos 1",
                "listener 4712 192.0.2.7\nmax_connections 9\nmax_qos 1\ncertfile /c\nkeyfile /k\ntls_version tlsv1.2",
                "listener 4713 192.0.2.7\nmax_connections 9\nmax_qos 1\ncertfile /c\nkeyfile /k\ntls_version tlsv1.2\n"
                    + "cafile /a\nrequire_certificate true",
            ]
        )
    }

    @Test("Exactly the plain listeners that other machines can reach are named, with their addresses")

    func open() async throws {
        var ports = ListenerPorts(mqtt: 1)
        (ports.http, ports.webSocket, ports.health, ports.mqttTLS) = (2, 3, 4, 5)
        let hosts = ["mqtt.host": "0.0.0.0", "http.host": "::", "insecure": "true"]

        let own = OpenListener.all(try await settings(hosts), ports, ownsBroker: true)
        let given = OpenListener.all(try await settings(hosts), ports, ownsBroker: false)
        let none = OpenListener.all(try await settings(), ports, ownsBroker: true)

        #expect(own.map(\.text) == ["mqtt 0.0.0.0:1", "websocket [::]:3", "http [::]:2"])
        #expect(given.map(\.text) == ["websocket [::]:3", "http [::]:2"])
        #expect(none.isEmpty)
    }
}
