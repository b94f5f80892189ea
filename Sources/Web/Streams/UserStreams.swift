import Domain
import Metering
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The streams of users' messages.
///
/// Each stream has its own MQTT connection, for which a session's token is the password. The gate checks every message
/// to a stream. The gate also limits the stream, and can close it. A terminal has only one connection at the broker.
/// The newest connection replaces any earlier one. A client that uses both MQTT and a stream therefore logs in as two
/// terminals.
package final class UserStreams: Sendable {
    private let broker: (name: String, host: String, port: Int)
    private let tls: BrokerTLS?
    private let addresses: RelayedAddresses?
    private let brokerRun: @Sendable () -> Int?
    private let places: StreamPlaces

    /// Creates the collection of streams.
    ///
    /// Each open stream takes one of `places`. The broker sees the client's address if `addresses` is set and the
    /// broker is local. Otherwise the broker sees this machine's address. `brokerRun` returns how many times the
    /// service has connected to the broker so far, so this number changes when the broker restarts. `brokerRun` returns
    /// nil while the service isn't connected to the broker.
    package init(
        brokerHost: String,
        brokerPort: Int,
        tls: BrokerTLS?,
        addresses: RelayedAddresses?,
        places: StreamPlaces,
        brokerRun: @escaping @Sendable () -> Int?
    ) {
        self.brokerRun = brokerRun
        self.tls = tls
        broker = (brokerHost, brokerHost == "localhost" ? "127.0.0.1" : brokerHost, brokerPort)
        self.addresses = broker.host.hasPrefix("127.") ? addresses : nil
        self.places = places
    }

    private static let answerSeconds: Int64 = 10

    /// Connects to the broker as a terminal, and subscribes to filters.
    ///
    /// - Throws: `Rejection` if no place is free or the broker can't be reached. It is also thrown if the broker
    ///   refuses the connection or a filter.
    func open(
        _ holder: RequestFront.Holder,
        token: String,
        filters: [String],
        from client: String,
        holder find: @escaping @Sendable (_ token: String) async throws -> RequestFront.Holder?
    ) async throws -> UserStream {
        let party = WebContext.household(client)
        try places.enter(party)
        do {
            let link = try await connect(from: client)
            do {
                let (terminal, app) = (holder.terminal.text, holder.app.text)
                link.send(MQTTPacket.connect(clientID: terminal, username: "app:\(app)", password: token))
                try await expectConnected(link, token, find: find)
                link.send(MQTTPacket.subscribe(filters))
                let early = try await expectSubscribed(link)
                return UserStream(
                    link,
                    early: early,
                    token: token,
                    find: find,
                    isBrokerSame: { [brokerRun, run = brokerRun()] in run != nil && brokerRun() == run },
                    leave: { [places] in places.leave(party) }
                )
            } catch {
                link.close()
                throw error
            }
        } catch {
            places.leave(party)
            throw error
        }
    }

    private func connect(from client: String) async throws -> BrokerLink {
        let place = addresses?.lend(to: client)
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(WebSocketLimits.connectSeconds))
            .channelOption(.autoRead, value: false)
            .channelOption(.maxMessagesPerRead, value: 1)
        if let place, let address = try? SocketAddress(ipAddress: RelayPlace.address(of: place), port: 0) {
            bootstrap = bootstrap.bind(to: address)
        }
        do {
            let (channel, reader) = try await bootstrap.connect(host: broker.host, port: broker.port) {
                [tls, name = broker.name] channel in
                channel.eventLoop.makeCompletedFuture {
                    if let tls { try channel.pipeline.syncOperations.addHandler(tls.handler(to: name)) }
                    return (channel, try BrokerLink.addHandlers(to: channel))
                }
            }
            if let place { channel.closeFuture.whenComplete { [addresses] _ in addresses?.giveBack(place) } }
            return BrokerLink(channel, reader)
        } catch {
            if let place { addresses?.giveBack(place) }
            throw Rejection.away
        }
    }

    private func expectConnected(
        _ link: BrokerLink,
        _ token: String,
        find: (_ token: String) async throws -> RequestFront.Holder?
    ) async throws {
        guard case .packet(.connected(let code)) = await link.next(within: .seconds(Self.answerSeconds)) else {
            throw Rejection.away
        }
        guard code != 0 else { return }
        guard let refusal = try await find(token)?.refusal else {
            throw Rejection(.tooManyRequests, "The terminal connects too often.", retryAfter: Self.answerSeconds)
        }
        throw refusal
    }

    /// Waits for the answer to the subscription, and returns the packets that arrived before the answer.
    private func expectSubscribed(_ link: BrokerLink) async throws -> [MQTTPacket] {
        var early: [MQTTPacket] = []
        while early.count < 64 {
            switch await link.next(within: .seconds(Self.answerSeconds)) {
            case .packet(.subscribed(let codes)):
                guard codes.allSatisfy({ $0 < 0x80 }) else {
                    throw Rejection(.forbidden, "The broker refused a filter.", field: "filter")
                }
                return early
            case .packet(let packet): early.append(packet)
            case .silence, .closed: throw Rejection.away
            }
        }
        throw Rejection.away
    }
}

/// The files for TLS connections to the broker, which are read again for each new connection.
package struct BrokerTLS: Sendable {
    private let authority: String
    private let certificate: (file: String, key: String)?

    /// Stores the paths of the CA certificates and of the client's certificate and key.
    package init(authority: String, certificateFile: String?, keyFile: String?) {
        self.authority = authority
        if let certificateFile, let keyFile { certificate = (certificateFile, keyFile) } else { certificate = nil }
    }

    /// Returns a TLS handler that checks the broker's certificate for `name`.
    fileprivate func handler(to name: String) throws -> NIOSSLClientHandler {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.trustRoots = .file(authority)
        if let certificate {
            let chain = try NIOSSLCertificate.fromPEMFile(certificate.file)
            configuration.certificateChain = chain.map { .certificate($0) }
            configuration.privateKey = .privateKey(try NIOSSLPrivateKey(file: certificate.key, format: .pem))
        }
        let context = try NIOSSLContext(configuration: configuration)
        return try NIOSSLClientHandler(context: context, serverHostname: InternetAddress(name) == nil ? name : nil)
    }
}

/// The places for streams, limited in total and for each address or API key.
package final class StreamPlaces: Sendable {
    private let state = Mutex<[String: Int]>([:])
    private let limit: Int
    private let perParty: Int

    /// The maximum number of streams from one source address.
    package static let perAddress = 16

    /// Makes `limit` places for streams, of which each address or API key may use up to `perParty`.
    package init(limit: Int = .max, perParty: Int = perAddress) { (self.limit, self.perParty) = (limit, perParty) }

    /// Takes a place.
    ///
    /// - Throws: `Rejection` if no place is free.
    func enter(_ party: String) throws(Rejection) {
        let refusal = state.withLock { counts -> Rejection? in
            if counts[party, default: 0] >= perParty {
                return Rejection(.tooManyRequests, "This address or key has too many streams.", retryAfter: 30)
            }
            if counts.values.reduce(0, +) >= limit {
                return Rejection(.unavailable, "The service has too many streams; try again later.", retryAfter: 30)
            }
            counts[party, default: 0] += 1
            return nil
        }
        if let refusal { throw refusal }
    }

    /// Frees a place.
    func leave(_ party: String) {
        state.withLock { counts in
            let left = (counts[party] ?? 1) - 1
            counts[party] = left > 0 ? left : nil
        }
    }
}
