import Metering
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket
import ServiceLifecycle

/// The server that offers MQTT over WebSocket to browsers, and relays the bytes to the broker's plain listener.
///
/// Mosquitto 2.0.11 has a WebSocket listener too. That listener can't be bound to one address. It also doesn't report
/// the origin of a browser's page. The documentation describes the rules for clients (reference: connecting#websocket).
package struct WebSocketServer: Service {
    private let endpoints: [Endpoint]
    private let broker: (host: String, port: Int)
    private let origins: OriginRule
    private let addresses: RelayedAddresses?
    private let limits: WebSocketLimits
    private let readiness: Readiness
    private let places: ConnectionPlaces
    private let tell: ListenerRefusal.Teller

    /// Creates a server that begins to listen when it's run.
    ///
    /// `tell` receives the refusals of connections. The broker sees the client's address if `addresses` is set and the
    /// broker is local. Otherwise the broker sees this machine's address.
    package init(
        endpoints: [Endpoint],
        brokerHost: String,
        brokerPort: Int,
        origins: OriginRule,
        addresses: RelayedAddresses?,
        limits: WebSocketLimits,
        tell: @escaping ListenerRefusal.Teller,
        readiness: Readiness
    ) {
        self.tell = tell
        self.endpoints = endpoints
        broker = (brokerHost == "localhost" ? "127.0.0.1" : brokerHost, brokerPort)
        self.origins = origins
        // The relay can use a separate loopback address for each client. This requires that the broker listens on
        // loopback too.
        self.addresses = broker.host.hasPrefix("127.") ? addresses : nil
        self.limits = limits
        self.readiness = readiness
        let counts = ListenerLimits(connections: limits.connections, perAddress: limits.perAddress)
        places = ConnectionPlaces("websocket", counts)
    }

    /// Relays connections until shutdown, or throws if an address can't be bound.
    package func run() async throws {
        var listeners: [any Channel] = []
        do {
            for endpoint in endpoints {
                let listener = bootstrap(endpoint).bind(host: endpoint.host, port: endpoint.port)
                listeners.append(try await listener.get())
            }
            readiness.isReady("websocket")
            try? await gracefulShutdown()
        } catch {
            for listener in listeners { try? await listener.close() }
            throw error
        }
        for listener in listeners { try? await listener.close() }
        places.closeAll()
    }

    private func bootstrap(_ endpoint: Endpoint) -> ServerBootstrap {
        let request = WebSocketRequest(origins: origins, isSecure: endpoint.tls != nil)
        return ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 1024)
            .childChannelOption(.tcpOption(.tcp_nodelay), value: 1)
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: waterMark)
            .childChannelInitializer { [self] channel in
                channel.eventLoop.makeCompletedFuture {
                    try prepare(channel, tls: endpoint.tls, request: request)
                }
            }
    }

    private var waterMark: ChannelOptions.Types.WriteBufferWaterMark {
        .init(low: limits.bufferBytes / 4, high: limits.bufferBytes)
    }

    private func prepare(_ channel: any Channel, tls: TLSContexts?, request: WebSocketRequest) throws {
        let pipeline = channel.pipeline.syncOperations
        let (seconds, party) = (limits.upgradeSeconds, ConnectionParty.householdOrProxied)
        try pipeline.addHandler(ConnectionGuard(places, seconds: seconds, party: party, tell: tell))
        try tls?.addHandlers(to: pipeline, tell: tell)
        let upgrader = NIOWebSocketServerUpgrader(
            maxFrameSize: limits.bufferBytes,
            shouldUpgrade: { channel, head in
                let headers: HTTPHeaders? =
                    request.refusal(of: head, on: channel) == nil
                    ? ["Sec-WebSocket-Protocol": WebSocketRequest.subprotocol] : nil
                return channel.eventLoop.makeSucceededFuture(headers)
            },
            upgradePipelineHandler: { [self] channel, head in
                channel.eventLoop.makeCompletedFuture { try begin(channel, head) }
            }
        )
        try pipeline.configureHTTPServerPipeline(
            withServerUpgrade: (upgraders: [upgrader], completionHandler: { _ in })
        )
        try pipeline.addHandler(WebSocketRefusal(request, tell))
    }

    private func begin(_ channel: any Channel, _ head: HTTPRequestHead) throws {
        let pipeline = channel.pipeline.syncOperations
        let connection = try pipeline.handler(type: ConnectionGuard.self)
        _ = pipeline.removeHandler(try pipeline.handler(type: WebSocketRefusal.self))
        let relay = WebSocketRelay(connection)
        try pipeline.addHandler(relay)
        connect(NIOLoopBound(relay, eventLoop: channel.eventLoop), for: LocalPeer.client(channel, head))
    }

    private func connect(_ relay: NIOLoopBound<WebSocketRelay>, for client: String) {
        let place = addresses?.lend(to: client)
        let connection = bootstrap(relay, from: place).connect(host: broker.host, port: broker.port)
        connection.assumeIsolated().whenComplete { [addresses] result in
            switch result {
            case .success(let channel):
                if let place { channel.closeFuture.whenComplete { _ in addresses?.giveBack(place) } }
                let end = try? channel.pipeline.syncOperations.handler(type: BrokerRelay.self)
                guard let end else { return relay.value.end(.noBroker) }
                relay.value.join(end)
            case .failure:
                if let place { addresses?.giveBack(place) }
                relay.value.end(.noBroker)
            }
        }
    }

    private func bootstrap(
        _ relay: NIOLoopBound<WebSocketRelay>,
        from place: Int?
    ) -> ClientBootstrap {
        let bootstrap = ClientBootstrap(group: relay.eventLoop)
            .connectTimeout(.seconds(WebSocketLimits.connectSeconds))
            .channelOption(.maxMessagesPerRead, value: 1)
            .channelOption(.writeBufferWaterMark, value: waterMark)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(BrokerRelay(relay.value))
                }
            }
        guard let place,
            let address = try? SocketAddress(ipAddress: RelayPlace.address(of: place), port: 0)
        else { return bootstrap }
        return bootstrap.bind(to: address)
    }
}
