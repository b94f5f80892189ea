import Domain
import Metering
import NIOCore
import NIOPosix
import Synchronization

/// The streams of users' messages: each is an MQTT connection of its terminal, which the service opens with its token.
///
/// So the gate decides what it receives, limits it and cuts it off. The terminal's newest connection has its place: a
/// client uses MQTT or a stream, or logs in as two terminals.
package final class UserStreams: Sendable {
    private let broker: (host: String, port: Int)
    private let addresses: RelayedAddresses?
    private let brokerRun: @Sendable () -> Int?
    private let places: StreamPlaces

    /// Connects streams to the broker, each in one of the places.
    ///
    /// Without `addresses`, or with the broker on another machine, the broker sees this machine's address. `brokerRun`
    /// returns a number that changes when the broker ends, and nil while it is away.
    package init(
        brokerHost: String,
        brokerPort: Int,
        addresses: RelayedAddresses?,
        places: StreamPlaces,
        brokerRun: @escaping @Sendable () -> Int?
    ) {
        self.brokerRun = brokerRun
        broker = (brokerHost == "localhost" ? "127.0.0.1" : brokerHost, brokerPort)
        self.addresses = broker.host.hasPrefix("127.") ? addresses : nil
        self.places = places
    }

    /// The seconds within which the broker must answer.
    private static let answerSeconds: Int64 = 10

    /// Connects a terminal and subscribes.
    ///
    /// - Throws: `Rejection`.
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
            let (channel, reader) = try await bootstrap.connect(host: broker.host, port: broker.port) { channel in
                channel.eventLoop.makeCompletedFuture { (channel, try BrokerLink.addHandlers(to: channel)) }
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

    /// Waits for the answer to the subscription; returns messages that arrived before it.
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

/// The places of streams, in all and by party: a source address, or an API key.
package final class StreamPlaces: Sendable {
    private let state = Mutex<[String: Int]>([:])
    private let limit: Int
    private let perParty: Int

    /// The maximum number of streams of one address.
    package static let perAddress = 16

    /// Makes places for `limit` streams, of which a party may have `perParty`.
    package init(limit: Int = .max, perParty: Int = perAddress) {
        self.limit = limit
        self.perParty = perParty
    }

    /// Takes a place.
    ///
    /// - Throws: `Rejection` if there's none.
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
