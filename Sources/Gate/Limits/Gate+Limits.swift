import CMosquittoBroker
import Credentials
import Metering

// The limits on rate and size (`GateLimits`). The gate counts messages before the broker queues them. It counts topic
// and payload at ACL_CHECK, and properties at MESSAGE. The filters of SUBSCRIBE and UNSUBSCRIBE have the same limits as
// messages, but are counted separately. A CONNECT counts as a message, and a will counts when it is sent. Messages of
// terminals and products also count against their source address. Counting allocates memory only when a refusal is
// reported.
//
// In Mosquitto 2.0.11, plugins can refuse an access only with `MOSQ_ERR_ACL_DENIED`. Any other error ends the
// connection. The client receives `MOSQ_ERR_ACL_DENIED` as 0x87 in PUBACK, PUBREC and SUBACK. A SUBACK of MQTT 3.1.1
// contains 0x80 instead. A PUBACK of MQTT 3.1.1 has no code. The broker therefore sends the PUBACK and drops the
// message. `MOSQ_ERR_QUOTA_EXCEEDED`, which becomes 0x97, was added in Mosquitto 2.1.
extension Gate {
    /// Counts an access, and returns whether the access exceeds the client's limits.
    func isBeyond(_ client: Client, _ access: Access, to topic: Bytes) -> Bool {
        guard let tally = client.tally, let size = access.size(topic) else { return false }
        let now = Clock.coarse()
        let verdict =
            access.isSubscription ? tally.filters.take(bytes: size, at: now) : tally.meter.take(bytes: size, at: now)
        guard case .beyond(let mustTell, let mustClose) = verdict else {
            return isBeyondAddress(client, access, to: topic, tally: tally, at: now)
        }
        if mustTell { tell(client, access, to: topic, because: .tooFast) }
        if mustClose { close(client) }
        return true
    }

    /// Counts a message against its source address, and returns whether it exceeds the address's budget.
    ///
    /// If a message exceeds the address's budget, its sender isn't penalized. A terminal isn't responsible for other
    /// clients behind the same router. A flooding terminal is cut off by its own limits. Those limits also count
    /// messages beyond the address's budget.
    private func isBeyondAddress(
        _ client: Client,
        _ access: Access,
        to topic: Bytes,
        tally: Tally,
        at now: Int64
    ) -> Bool {
        guard let address = client.addressTally, !access.isSubscription else { return false }
        let verdict = address.budget.take(&tally.share, at: now)
        guard case .beyond(let mustTell) = verdict else { return false }
        if mustTell { tell(client, access, to: topic, because: .addressTooFast) }
        return true
    }

    /// The maximum length of a topic in bytes, far above the protocol's longest topic.
    private static let topicBytesMax = 512

    /// Returns why the limits forbid an access that the client's rights permit, or nil if the access is allowed.
    ///
    /// Possible reasons are a bad topic, too many levels and too many subscriptions.
    func refusalOfForm(_ client: Client, _ access: Access, to topic: Bytes) -> RefusalReason? {
        guard let tally = client.tally, !client.rights.isService else { return nil }
        let limits = settings.limits
        switch access {
        case .publish:
            if topic.count > Self.topicBytesMax {
                // The client may have set a topic alias. The broker would then keep the long topic until the connection
                // ends. The gate therefore closes the connection.
                leaving.append(Leave(client: client, due: 0))
                return .badTopic
            }
            let most = limits.publishLevels &+ rootLevels &- 2
            return limits.publishLevels > 0 && FilterShape.count(topic) > most ? .tooManyLevels : nil
        case .subscribe:
            let most = limits.subscriptionLevels
            if let reason = client.rights.refusalOfShape(topic, rootLevels: rootLevels, levels: most) { return reason }
            guard client.isTerminal else { return nil }
            let hasRoom = tally.hasRoom(
                for: topic,
                limit: limits.subscriptions(of: client.principal),
                brokerCount: client.pointer.map { Int(gate_client_sub_count($0)) } ?? 0
            )
            return hasRoom ? nil : .tooManySubscriptions
        case .unsubscribe, .receive: return nil
        }
    }

    /// Counts a message's properties, and returns whether they fit within the limits.
    func limitProperties(of client: Client, bytes: Int, topic: Bytes) -> Bool {
        guard bytes > 0, let tally = client.tally else { return true }
        let verdict = tally.meter.take(messages: 0, bytes: bytes, at: Clock.coarse())
        guard case .beyond(let mustTell, let mustClose) = verdict else { return true }
        let message = Access.publish(Bytes(start: nil, count: 0), retained: false)
        if mustTell { tell(client, message, to: topic, because: .tooFast) }
        if mustClose { close(client) }
        return false
    }

    /// Closes a flooding connection, and refuses its client id for a time.
    ///
    /// If many connections from one source address are closed in this way, the address is refused too.
    private func close(_ client: Client) {
        guard let tally = client.tally, client.isConnected else { return }
        let now = Clock.steady()
        leaving.append(Leave(client: client, due: 0))
        penalties.impose(on: tally.key, at: now)
        if let source = client.source, closings.note(source, at: now) {
            penalties.impose(on: Self.key(ofAddress: source), at: now)
        }
        Broker.log(.notice, "\(client.clientId) sends too fast; its connection is closed")
    }

    /// Refuses a client that was cut off for flooding and reconnects too soon.
    ///
    /// The penalty of a source address applies only to clients with a shared secret. A device with its own secret isn't
    /// responsible for other clients behind the same router. Neither is a terminal with its session's token.
    func checkPenalty(_ pass: Admission.Pass, key: String, source: String?) throws(RefusalReason) {
        let now = Clock.steady()
        if penalties.refuses(key, at: now) { throw .tooFast }
        guard pass.isSecretShared, let source else { return }
        if penalties.refuses(Self.key(ofAddress: source), at: now) { throw .tooFast }
    }

    /// Counts a CONNECT, and returns the connection's tally, or nil for a worker.
    func tally(of pass: Admission.Pass, clientId: String, key: String, will: Int = 0) throws(RefusalReason) -> Tally? {
        guard let allowance = settings.limits.allowance(of: pass) else { return nil }
        let now = Clock.coarse()
        let standing = (connected[clientId] ?? link(of: pass.principal))?.tally.flatMap { $0.key == key ? $0 : nil }
        let tally = standing ?? tallies.take(key) ?? newTally(key, allowance, at: now)
        guard case .beyond(_, let mustClose) = tally.meter.take(bytes: will, at: now) else {
            if pass.principal.isCountedByAddress { tally.share.noteConnection(at: now) }
            return tally
        }
        if mustClose { penalties.impose(on: key, at: Clock.steady()) }
        if standing == nil { tallies.keep(tally, at: now) }
        throw .tooFast
    }

    /// Creates a tally for a new connection, or for a disconnected client.
    func newTally(_ key: String, _ allowance: Allowance, at now: Int64) -> Tally {
        let meter = Meter(allowance, patience: settings.limits.tooFastSeconds, now: now)
        return Tally(key: key, meter: meter, now: now)
    }

    /// Returns an address's key, whose slash makes it different from every client id.
    private static func key(ofAddress source: String) -> String { "/\(source)" }
}

extension Gate.Access {
    fileprivate var isSubscription: Bool {
        switch self {
        case .subscribe, .unsubscribe: true
        case .publish, .receive: false
        }
    }

    /// Returns the number of bytes to count for an access, or nil if the access isn't counted.
    ///
    /// A delivery isn't counted, because the client didn't cause it.
    fileprivate func size(_ topic: Bytes) -> Int? {
        switch self {
        case .publish(let payload, _): topic.count &+ payload.count
        case .subscribe, .unsubscribe: topic.count
        case .receive: nil
        }
    }
}
