import Batching
import CMosquittoBroker
import Credentials
import JSON
import Metering

// Requests that terminals send over HTTP. The service passes each request on with the hash of its sender's password.
// The gate checks the hash as it checks the password of a CONNECT. A request counts against the limits of the terminal
// and of its source address. The limits thus apply to MQTT and HTTP together. The topic on which the service publishes
// these requests has no subscribers. Only the gate sees the hashes.
extension Gate {
    /// The size in bytes of the password's SHA-256 hash, which precedes the request's payload.
    private static let digestBytes = 32

    /// Publishes a batch of requests from `$CONTROL/lamplighter/request`, and reports refusals to the batch's sender.
    func publishRequests(_ pointer: OpaquePointer, _ payload: Bytes) {
        guard let front = clients[pointer], front.isStill(pointer), front.rights.isWorker, front.isConnected,
            front.tally == nil
        else { return }
        guard BatchReader.count(in: payload) != nil, var reader = BatchReader(payload) else {
            Broker.log(.warning, "ignored an unintelligible batch from \(front.clientId)")
            return
        }
        look()
        while let message = reader.next() {
            guard let digest = Digest(Array(message.payload.prefix(Self.digestBytes))), let facts = facts(of: message)
            else {
                Broker.log(.warning, "skipped a request that \(front.clientId) must not publish")
                continue
            }
            do {
                try publish(message, as: facts, digest)
            } catch {
                if error != .overloaded { tell(facts, error) }
                report(error, of: message)
            }
        }
    }

    /// Returns a request's sender and source address, or nil if the message isn't a request.
    private func facts(of message: BatchedMessage) -> Broker.Facts? {
        guard Topic.isBelow(message.topic, apps) else { return nil }
        var levels = Levels(Bytes(rebasing: message.topic.dropFirst(apps.count)))
        guard let app = levels.next(), let terminal = levels.next(),
            levels.next()?.elementsEqual("request".utf8) == true
        else { return nil }
        return Broker.Facts(
            username: "app:" + String(decoding: app, as: UTF8.self),
            clientId: String(decoding: terminal, as: UTF8.self),
            address: message.sourceAddress.map { String(decoding: $0, as: UTF8.self) } ?? ""
        )
    }

    /// Publishes a request if the gate would let the sender publish it over MQTT.
    private func publish(_ message: BatchedMessage, as facts: Broker.Facts, _ digest: Digest) throws(RefusalReason) {
        // Just after a restart of the broker, no worker has subscribed to requests yet. The gate then refuses requests.
        // If messages are divided by shard, the gate doesn't check for subscribers.
        guard hasShards || connected[RequestSubscribers.fallback] != nil || subscribers.hear(message.topic) else {
            throw .busy
        }
        let body = Bytes(rebasing: message.payload.dropFirst(Self.digestBytes))
        let pass = try check(facts, digest)
        let source = SourceAddress(facts.address)?.text
        let key = key(of: pass, facts, source: source)
        try checkLimits(pass, facts, source: source, key: key)
        let tally = try tally(of: pass, clientId: facts.clientId, key: key, will: message.topic.count &+ body.count)
        defer {
            if connected[facts.clientId]?.tally !== tally, let tally { tallies.keep(tally, at: Clock.coarse()) }
        }
        let client = Client(pass, facts: facts, connection: 0)
        client.tally = tally
        giveRights(to: client)
        let access = Access.publish(body, retained: false)
        if let reason = refusal(client, access, to: message.topic) { throw reason }
        if let tally, !pass.isKey, isBeyondAddress(tally, source) { throw .addressTooFast }
        if isShed(client, access, to: message.topic) { throw .overloaded }
        if let session = pass.begun { noteUse(of: session, on: facts.clientId) }
        publish(message, body: body, from: source)
    }

    /// Returns the key under which a request is counted.
    ///
    /// If the sender's session has an MQTT connection, the request is counted under the key of that connection.
    /// Otherwise, it gets the key that a new connection would get.
    private func key(of pass: Admission.Pass, _ facts: Broker.Facts, source: String?) -> String {
        if let session = pass.session, let client = connected[facts.clientId], client.session == session,
            let tally = client.tally
        {
            return tally.key
        }
        return Tally.key(of: pass, clientId: facts.clientId, source: source)
    }

    private func isBeyondAddress(_ tally: Tally, _ source: String?) -> Bool {
        let now = Clock.coarse()
        guard let source, let address = addressTallies.join(source, at: now) else { return false }
        defer { addressTallies.leave(address, at: now) }
        if case .beyond = address.budget.take(&tally.share, at: now) { return true }
        return false
    }

    private func publish(_ message: BatchedMessage, body: Bytes, from source: String?) {
        var properties = MessageProperties(nil)
        let isWhole = properties.add(message) && source.map { properties.add(MessageProperties.address, $0) } ?? true
        guard isWhole else {
            properties.discard()
            return Broker.log(.error, "a request could not be published: memory is short")
        }
        passOn(message.topic, body, with: properties)
    }

    /// Reports a refused request to the process that is named in the response topic's last level.
    private func report(_ reason: RefusalReason, of message: BatchedMessage) {
        guard let answers = message.responseTopic, let node = answers.split(separator: Topic.slash).last else { return }
        var properties = MessageProperties(nil)
        guard properties.add(message) else { return properties.discard() }
        let object: JSONObject = ["reason": .string(reason.rawValue)]
        let topic = "\(settings.root)/system/http/\(String(decoding: node, as: UTF8.self))"
        Broker.publish(topic, object.encoded(), qos: 1, properties: properties)
    }
}

extension MessageProperties {
    fileprivate mutating func add(_ message: BatchedMessage) -> Bool {
        var isWhole = true
        if let topic = message.responseTopic {
            let id = Int32(MQTT_PROP_RESPONSE_TOPIC.rawValue)
            isWhole = gate_property_add_string(&list, id, String(decoding: topic, as: UTF8.self)) == success && isWhole
        }
        if let data = message.correlation {
            let id = Int32(MQTT_PROP_CORRELATION_DATA.rawValue)
            let count = UInt16(truncatingIfNeeded: data.count)
            isWhole = gate_property_add_binary(&list, id, data.baseAddress, count) == success && isWhole
        }
        if let trace = message.traceparent {
            isWhole = add(Self.traceparent, String(decoding: trace, as: UTF8.self)) && isWhole
        }
        return isWhole
    }

    private var success: Int32 { MOSQ_ERR_SUCCESS.rawValue }
}
