import Domain
import Files
import Logging
import ServiceLifecycle
import ServiceSettings
import Web
import Workers

/// The HTTP and WebSocket listeners of this process, and the watch for new certificates.
struct WebListeners {
    /// The services to run.
    let services: [any Service]

    /// Prepares the listeners; nothing listens yet.
    ///
    /// - Throws: A `Problem` if the certificate can't be used.
    init(_ context: RunContext, _ backend: Backend, broker: BrokerChild?, console: ConsolePart?) throws {
        let contexts = try context.tls.map { try Self.contexts(of: $0) }
        let addresses = Self.relayedAddresses(context)
        let connection = try RequestConnection(context, backend.environment.topics)
        let places = StreamPlaces(limit: context.settings.httpConnections / 2)
        let front = RequestFront(
            context,
            backend.environment,
            connection: connection,
            streams: Self.streams(context, addresses, of: connection, in: places),
            places: places
        )
        var services: [any Service] = [
            Self.health(context), WorkService(connection, after: context.readiness),
            Self.pages(context, backend, front: front, tls: contexts),
        ]
        if let relay = Self.relay(context, addresses, tls: contexts) { services.append(relay) }
        if let console, let port = context.ports.console {
            services.append(Self.console(context, console, port: port, tls: contexts))
        }
        if let tls = context.tls, let contexts {
            let watch = CertificateWatch(tls, logger: Logger(label: "lamplighter.tls")) { material in
                try broker?.show(material)
                try contexts.replace(certificatePEM: material.certificatePEM, keyPEM: material.keyPEM)
            }
            watch.install(in: context.metrics)
            services.append(watch)
        }
        self.services = services
    }

    private static func contexts(of material: TLSMaterial) throws -> TLSContexts {
        do {
            return try TLSContexts(
                certificatePEM: material.certificatePEM,
                keyPEM: material.keyPEM
            )
        } catch {
            throw TLSMaterial.problem(material.files.certificate, "\(error)", cures: [])
        }
    }

    private static func health(_ context: RunContext) -> HealthServer {
        HealthServer(
            Listener(
                name: "health",
                [Endpoint(host: context.settings.healthHost, port: context.ports.health)],
                party: ConnectionParty.household,
                logger: context.logger,
                // Refusals aren't reported, since only programs of the operator connect to this listener.
                tell: { _ in }
            ),
            readiness: context.readiness,
            metrics: context.metrics
        )
    }

    private static func pages(
        _ context: RunContext,
        _ backend: Backend,
        front: RequestFront,
        tls: TLSContexts?
    ) -> WebServer {
        let settings = context.settings
        let (plain, secure) = (context.ports.http, context.ports.httpTLS)
        return WebServer(
            Listener(
                name: "pages",
                endpoints(settings, plain: plain, secure: secure, tls),
                limits: ListenerLimits(
                    connections: settings.httpConnections,
                    perAddress: settings.httpPerAddress,
                    headerSeconds: settings.httpHeaderSeconds
                ),
                logger: context.logger,
                tell: context.refused
            ),
            readiness: context.readiness,
            pages: backend.pages,
            documents: ReferenceDocuments.documents(context),
            front: front,
            oauth: OAuthService(backend.environment),
            console: { context.consoleURL(isLocal: $0) }
        )
    }

    private static func console(
        _ context: RunContext,
        _ console: ConsolePart,
        port: Int,
        tls: TLSContexts?
    ) -> ConsoleServer {
        let settings = context.settings
        return ConsoleServer(
            Listener(
                name: "console",
                LocalHosts.of(settings.consoleHost).map {
                    Endpoint(host: $0, port: port, tls: context.consoleHasTLS ? tls : nil)
                },
                limits: ListenerLimits(headerSeconds: settings.httpHeaderSeconds),
                logger: context.logger,
                tell: context.refused
            ),
            responder: console.responder,
            names: context.consoleNames,
            isSecure: context.consoleIsSecure,
            readiness: context.readiness
        )
    }

    /// Opens the file from which the gate learns the addresses of clients whose connections are relayed.
    ///
    /// Returns nil if this process doesn't relay, or if the file can't be opened.
    private static func relayedAddresses(_ context: RunContext) -> RelayedAddresses? {
        // Of several processes, only the one with the session worker relays WebSocket connections.
        guard relays(context), context.settings.workers.contains(.session) else { return nil }
        do {
            return try RelayedAddresses(path: context.directory.relayedAddresses)
        } catch {
            let reason: Logger.Metadata = ["reason": "\(error)"]
            context.logger.warning("the gate will not see the addresses of WebSocket clients", metadata: reason)
            return nil
        }
    }

    /// Returns whether the relay can connect to the broker; it can't if the broker expects TLS.
    private static func relays(_ context: RunContext) -> Bool {
        context.ownsBroker || context.settings.mqttCAFile == nil
    }

    private static func brokerHost(_ context: RunContext) -> String {
        context.ownsBroker ? LocalHosts.relay(of: context.settings.mqttHost) : context.settings.mqttHost
    }

    private static func streams(
        _ context: RunContext,
        _ addresses: RelayedAddresses?,
        of connection: RequestConnection,
        in places: StreamPlaces
    ) -> UserStreams {
        let settings = context.settings
        let authority = context.ownsBroker ? nil : settings.mqttCAFile
        return UserStreams(
            brokerHost: brokerHost(context),
            brokerPort: context.ports.mqtt,
            tls: authority.map {
                BrokerTLS(authority: $0, certificateFile: settings.mqttCertificateFile, keyFile: settings.mqttKeyFile)
            },
            addresses: addresses,
            places: places,
            brokerRun: { connection.brokerRun }
        )
    }

    private static func relay(
        _ context: RunContext,
        _ addresses: RelayedAddresses?,
        tls: TLSContexts?
    ) -> WebSocketServer? {
        let (settings, ports) = (context.settings, context.ports)
        guard ports.webSocket != nil || ports.webSocketTLS != nil else { return nil }
        return WebSocketServer(
            endpoints: endpoints(settings, plain: ports.webSocket, secure: ports.webSocketTLS, tls),
            brokerHost: brokerHost(context),
            brokerPort: ports.mqtt,
            origins: OriginRule(settings.webSocketOrigins),
            addresses: addresses,
            limits: WebSocketLimits(
                connections: settings.webSocketConnections,
                perAddress: settings.webSocketPerAddress,
                upgradeSeconds: settings.webSocketUpgradeSeconds,
                bufferBytes: settings.webSocketBufferBytes
            ),
            tell: context.refused,
            readiness: context.readiness
        )
    }

    private static func endpoints(_ settings: Settings, plain: Int?, secure: Int?, _ tls: TLSContexts?) -> [Endpoint] {
        var endpoints: [Endpoint] = []
        if let plain { endpoints += LocalHosts.of(settings.httpHost).map { Endpoint(host: $0, port: plain) } }
        if let secure, let tls {
            let host = settings.tlsHost ?? LocalHosts.everywhere
            endpoints.append(Endpoint(host: host, port: secure, tls: tls))
        }
        return endpoints
    }
}
