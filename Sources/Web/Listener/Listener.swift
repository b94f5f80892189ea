import Hummingbird
import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
import NIOSSL
import Synchronization

/// The limits of an HTTP listener.
package struct ListenerLimits: Sendable {
    /// The maximum number of open connections.
    package var connections: Int
    /// The maximum number of open connections from one IPv4 address or one IPv6 /64 network.
    package var perAddress: Int
    /// The time limit in seconds for a header, a body or the next request.
    package var headerSeconds: Int64

    /// The maximum number of seconds before an answer's first part, and between two parts.
    static let answerSeconds: Int64 = 60
    /// The maximum number of connections without a place that still get an answer.
    static let crowd = 64
    /// The seconds that a connection without a place has for the TLS handshake and its request.
    static let crowdSeconds: Int64 = 3

    /// Creates the limits.
    ///
    /// With the defaults, 16 addresses can fill all places with complete requests. A connection whose request is
    /// incomplete can lose its place to a new connection. A header has at most 16 KiB, so the headers of all
    /// connections need at most 16 MiB.
    package init(connections: Int = 1024, perAddress: Int = 64, headerSeconds: Int64 = 10) {
        (self.connections, self.perAddress, self.headerSeconds) = (connections, perAddress, headerSeconds)
    }
}

/// The addresses on which HTTP is served for one purpose, with common limits on their connections.
package struct Listener: Sendable {
    private let name: String
    private let endpoints: [Endpoint]
    private let limits: ListenerLimits
    private let party: @Sendable (SocketAddress?) -> String
    private let logger: Logger
    private let tell: ListenerRefusal.Teller

    /// The maximum number of bytes of a header and of each of its fields.
    private static let headerBytes = 16 << 10
    private static let headerFields = 100

    /// Prepares to listen.
    ///
    /// - Parameters:
    ///   - name: The listener's name in the metrics.
    ///   - endpoints: The addresses to listen on.
    ///   - limits: The limits on connections, which all endpoints share.
    ///   - party: Returns the party (such as an address) for which a connection is counted.
    ///   - logger: Receives warnings and errors.
    ///   - tell: Receives the refusals of connections.
    package init(
        name: String,
        _ endpoints: [Endpoint],
        limits: ListenerLimits = ListenerLimits(),
        party: @escaping @Sendable (SocketAddress?) -> String = ConnectionParty.householdOrProxied,
        logger: Logger,
        tell: @escaping ListenerRefusal.Teller
    ) {
        self.name = name
        self.tell = tell
        self.endpoints = endpoints
        self.limits = limits
        self.party = party
        var logger = Logger(label: logger.label) { _ in QuietEnds(logger.handler) }
        // Individual requests aren't logged, although the library would log each of them at the level info.
        logger.logLevel = max(logger.logLevel, .warning)
        self.logger = logger
    }

    /// Serves requests until shutdown, and calls `onRunning` once the server listens on all addresses.
    func run(_ router: Router<WebContext>, onRunning: @escaping @Sendable () -> Void) async throws {
        let places = ConnectionPlaces(name, limits)
        let waiting = Atomic(endpoints.count)
        try await withThrowingTaskGroup { group in
            for endpoint in endpoints {
                let application = Application(
                    router: router,
                    server: makeServer(endpoint, places),
                    configuration: ApplicationConfiguration(address: .hostname(endpoint.host, port: endpoint.port)),
                    onServerRunning: { _ in
                        let left = waiting.subtract(1, ordering: .relaxed).newValue
                        if left == 0 { onRunning() }
                    },
                    logger: logger
                )
                group.addTask { try await application.run() }
            }
            try await group.waitForAll()
        }
    }

    private func makeServer(_ endpoint: Endpoint, _ places: ConnectionPlaces) -> HTTPServerBuilder {
        let (limits, party, tell) = (limits, party, tell)
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: Self.headerBytes,
            maxHeaderListSize: Self.headerBytes,
            maxHeaderFieldCount: Self.headerFields
        )
        return HTTPServerBuilder { responder in
            GuardedChannel(
                http: HTTP1Channel(responder: responder, configuration: .init(httpDecoderConfiguration: decoder)),
                tls: endpoint.tls,
                places: places,
                limits: limits,
                party: party,
                tell: tell
            )
        }
    }
}

/// An HTTP/1.1 connection with a guard, which takes a place and enforces time limits.
struct GuardedChannel: ServerChildChannel {
    typealias Value = HTTP1Channel.Value

    let http: HTTP1Channel
    let tls: TLSContexts?
    let places: ConnectionPlaces
    let limits: ListenerLimits
    let party: @Sendable (SocketAddress?) -> String
    let tell: ListenerRefusal.Teller

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
        let limits = limits
        let secured = channel.eventLoop.makeCompletedFuture { [self] in
            let pipeline = channel.pipeline.syncOperations
            let seconds = limits.headerSeconds
            try pipeline.addHandler(ConnectionGuard(places, seconds: seconds, party: party, tell: tell))
            try tls?.addHandlers(to: pipeline, tell: tell)
        }
        return secured.flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let connection = try pipeline.handler(type: ConnectionGuard.self)
            // Handlers that come after the decoder see the parts of both requests and responses.
            let times = RequestTimes(connection, limits)
            try pipeline.addHandlers(CrowdAnswer(connection), times, position: .after(decoder))
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
