import CMosquittoBroker
import Credentials
import Metering

extension Gate {
    /// An access about which the broker asks the gate.
    enum Access {
        case publish(Bytes, retained: Bool)
        case subscribe
        case unsubscribe
        /// A delivery whose payload has `bytes` bytes.
        case receive(bytes: Int)
    }

    /// Returns whether a client may access a topic.
    ///
    /// The broker asks (ACL_CHECK) for each incoming message and each delivery. It also asks for each filter of a
    /// SUBSCRIBE or UNSUBSCRIBE.
    func mayAccess(_ pointer: OpaquePointer, _ access: Access, to topic: Bytes) -> Bool {
        guard let client = find(pointer) else { return false }
        if client.isFallback, case .receive = access, subscribers.hear(topic) { return false }
        if case .receive = access {
            if putInBatch(of: client, topic) || isBatchOfOther(client, topic) { return false }
            if let tap = client.tap, !tap.lets(topic) { return false }
        } else {
            endPassing()
        }
        if isBeyond(client, access, to: topic) { return false }
        lookIfNeeded(client, access, to: topic)
        refresh(client)
        guard var refusal = refusal(client, access, to: topic) else {
            return grant(client, at: pointer, access: access, to: topic)
        }
        if refusal == .ownRequest { return false }
        look()
        if client.generation != generation {
            refresh(client)
            guard let newer = self.refusal(client, access, to: topic) else {
                return grant(client, at: pointer, access: access, to: topic)
            }
            refusal = newer
        }
        tell(client, access, to: topic, because: refusal)
        return false
    }

    /// Grants and records an access that the client's rights permit, or returns false.
    ///
    /// If the gate itself sends a client's will, the result is false, so that the broker doesn't send the will too.
    /// Reports and requests to overloaded workers are refused too. Deliveries are refused if the broker can't keep more
    /// messages for a slow client.
    private func grant(_ client: Client, at pointer: OpaquePointer, access: Access, to topic: Bytes) -> Bool {
        if case .receive(let bytes) = access {
            return inheriting.contains(pointer) || mayHold(client, at: pointer, topic: topic, bytes: bytes)
        }
        if case .publish(let payload, _) = access, !client.isConnected, mustSendWill(of: client) {
            sendWill(of: client, on: topic, payload: payload)
            return false
        }
        if isShed(client, access, to: topic) { return false }
        note(client, access, to: topic)
        return true
    }

    private func mustSendWill(of client: Client) -> Bool { client.tellsAddress || hasShards && client.did != nil }

    /// Checks the credentials file before each subscription and once per message to a user.
    ///
    /// The file is checked only before a message's first delivery. The cost therefore doesn't depend on the number of
    /// receivers.
    private func lookIfNeeded(_ client: Client, _ access: Access, to topic: Bytes) {
        switch access {
        case .subscribe: look()
        case .publish: if Topic.isBelow(topic, users) { mustLookToDeliver = true }
        case .receive:
            guard mustLookToDeliver, client.isTerminal, Topic.isBelow(topic, users) else { return }
            mustLookToDeliver = false
            if watch.isBehind { look() }
        case .unsubscribe: break
        }
    }

    /// Records the effects of a granted access.
    private func note(_ client: Client, _ access: Access, to topic: Bytes) {
        guard client.isConnected else { return }
        if client.isTerminal { return noteHolding(client, access, to: topic) }
        if client.did != nil { return noteListening(client, access, to: topic) }
        guard client.rights.isWorker else { return }
        switch access {
        case .publish(let payload, _):
            subscribers.note(client, published: payload, on: topic)
            noteEcho(client, payload, on: topic)
        case .subscribe:
            subscribers.note(client, subscribedTo: topic)
            beginBatches(of: client, topic)
        case .unsubscribe:
            subscribers.note(client, unsubscribedFrom: topic)
            endBatches(of: client, topic)
        case .receive: break
        }
    }

    private func noteHolding(_ client: Client, _ access: Access, to filter: Bytes) {
        switch access {
        case .subscribe: client.tally?.hold(filter, limit: settings.limits.subscriptions(of: client.principal))
        case .unsubscribe: client.tally?.drop(filter)
        case .publish: client.noteLogin(on: filter, root: settings.root)
        case .receive: break
        }
    }

    /// Notifies workers when a device subscribes to its commands, so that they send the queued commands.
    ///
    /// The broker adds the subscription before it processes any other message.
    private func noteListening(_ client: Client, _ access: Access, to filter: Bytes) {
        guard case .subscribe = access else { return }
        // A device can subscribe to two topics only: its commands and its responses.
        let isOther = filter.suffix(9).elementsEqual("/response".utf8)
        guard !isOther else { return }
        client.isListening = true
        tellArrival(of: client)
    }

    /// Returns why the client's rights or the limits forbid an access, or nil if the access is allowed.
    func refusal(_ client: Client, _ access: Access, to topic: Bytes) -> RefusalReason? {
        refusalByRights(client, access, to: topic) ?? refusalOfForm(client, access, to: topic)
    }

    private func refusalByRights(_ client: Client, _ access: Access, to topic: Bytes) -> RefusalReason? {
        switch access {
        case .publish(_, let retained):
            // Only the gate itself publishes on the topics of batches to workers.
            if Topic.isBelow(topic, batchTopics) { return .notAllowed }
            if client.isConnected { return client.rights.refusalToPublish(topic, retained: retained) }
            if client.isCutOff { return .sessionRequired }
            return client.rights.refusalOfWill(topic, retained: retained)
        case .subscribe:
            if !watch.isReadable, !client.rights.isWorker { return .credentialsUnavailable }
            return client.rights.refusalToSubscribe(topic, now: Clock.now())
        case .unsubscribe: return nil
        case .receive: return client.rights.refusalToReceive(topic, now: Clock.now())
        }
    }

    private func refresh(_ client: Client) { if client.generation != generation { giveRights(to: client) } }

    /// Gives the client the rights that its principal has now.
    func giveRights(to client: Client) {
        client.rights = rights(of: client) ?? .none
        client.generation = generation
    }

    /// Returns the client about which the broker asks.
    ///
    /// The broker also asks about disconnected clients that have an MQTT session, and about disconnected publishers of
    /// retained messages. For such a publisher, `pointer` leads to a temporary structure that contains only a username
    /// and a client id. In both cases, the gate admitted the client earlier. The client gets the rights that its
    /// principal has now.
    func find(_ pointer: OpaquePointer) -> Client? {
        if let client = clients[pointer], client.isStill(pointer) { return client }
        if let client = absent[pointer], client.isStill(pointer) { return client }
        guard let facts = Broker.facts(pointer), let username = facts.username,
            let principal = try? Principal(username: username, clientId: facts.clientId)
        else { return nil }
        let client = Client(Admission.Pass(principal: principal, secret: nil), facts: facts)
        giveRights(to: client)
        client.tally = settings.limits.allowance(of: principal).map {
            newTally(client.clientId, $0, at: Clock.coarse())
        }
        if absent.count >= Self.absentMax { absent.removeAll() }
        absent[pointer] = client
        return client
    }

    /// Publishes the refusal of an access.
    func tell(_ client: Client, _ access: Access, to topic: Bytes, because reason: RefusalReason) {
        guard !client.isLeaving, !refusals.isOwn(topic) else { return }
        let action: Refusals.Entry.Action =
            switch access {
            case .publish: .publish
            case .subscribe, .unsubscribe: .subscribe
            case .receive: .receive
            }
        tell(
            Refusals.Entry(
                username: client.username,
                clientId: client.clientId,
                address: client.address,
                action: action,
                topic: String(decoding: topic, as: UTF8.self),
                reason: reason
            )
        )
    }
}
