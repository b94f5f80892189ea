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
    /// The maximum number of open connections from one source address, or from its /64 for IPv6.
    package var perAddress: Int
    /// The maximum number of seconds for each of a request's header, its body, and the silence between two requests.
    package var headerSeconds: Int64

    /// The maximum number of seconds for an answer, from the request's end until the last byte is handed over.
    static let answerSeconds: Int64 = 60
    /// The maximum number of connections without a place that are answered at the same time; others are only closed.
    static let crowd = 64
    /// The maximum number of seconds for the request of a connection without a place, TLS included.
    static let crowdSeconds: Int64 = 3

    /// Creates the limits.
    ///
    /// 16 addresses can fill the places, each with complete requests: an incomplete one gives way to the next
    /// connection. A header of at most 16 KiB for each place adds up to 16 MiB of memory.
    package init(connections: Int = 1024, perAddress: Int = 64, headerSeconds: Int64 = 10) {
        self.connections = connections
        self.perAddress = perAddress
        self.headerSeconds = headerSeconds
    }
}

/// The addresses on which HTTP is served for one purpose, with shared limits on their connections.
package struct Listener: Sendable {
    private let name: String
    private let endpoints: [Endpoint]
    private let limits: ListenerLimits
    private let party: @Sendable (SocketAddress?) -> String
    private let logger: Logger
    private let tell: ListenerRefusal.Teller

    /// The maximum number of bytes in a request's header, and in one field of it; browsers send about 2 KiB.
    private static let headerBytes = 16 << 10
    private static let headerFields = 100

    /// Prepares to listen.
    ///
    /// - Parameters:
    ///   - name: The name in the metrics of connections.
    ///   - endpoints: The addresses.
    ///   - limits: The limits of all connections together.
    ///   - party: Returns the party that a connection counts for.
    ///   - logger: Takes warnings and errors.
    ///   - tell: Receives refused connections.
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
        // Single requests aren't logged; the library would log each at info.
        logger.logLevel = max(logger.logLevel, .warning)
        self.logger = logger
    }

    /// Serves until the group shuts down; calls `onRunning` once it listens on all addresses.
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

/// An HTTP/1.1 connection with a guard of its times and its place.
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
            try pipeline.addHandler(
                ConnectionGuard(
                    places,
                    seconds: limits.headerSeconds,
                    party: party,
                    tell: tell
                )
            )
            try tls?.addHandlers(to: pipeline, tell: tell)
        }
        return secured.flatMap { http.setup(channel: channel, logger: logger) }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            let connection = try pipeline.handler(type: ConnectionGuard.self)
            // Here, the handlers see whole parts of messages in both directions.
            try pipeline.addHandlers(
                CrowdAnswer(connection),
                RequestTimes(connection, limits),
                position: .after(decoder)
            )
            return value
        }
    }

    func handle(value: Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
