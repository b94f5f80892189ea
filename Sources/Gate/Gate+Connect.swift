import Credentials
import JSON

extension Gate {
    /// Answers BASIC_AUTH: returns whether a client may connect.
    ///
    /// If the answer is true, Mosquitto 2.0.11 either connects the client or calls the disconnect callback.
    func admit(_ client: OpaquePointer, password: Digest?) -> Bool {
        if isReloading { return mayStay(client) }
        guard var facts = Broker.facts(client) else { return false }
        if isEndOfSession(client, facts: facts, password: password) { return endSession(of: facts.clientId) }
        facts.address = relayed.client(of: facts.address)
        facts.certificate = Broker.certificate(client)
        look()
        do {
            let pass = try check(facts, password)
            try checkEnd(of: facts.clientId, at: client)
            let source = SourceAddress(facts.address)?.text
            let key = Tally.key(of: pass, clientId: facts.clientId, source: source)
            try checkLimits(pass, facts, source: source, key: key)
            let will = PrivateStructure.willBytes(of: client)
            let tally = try tally(of: pass, clientId: facts.clientId, key: key, will: will)
            boundSession(of: client, pass)
            welcome(client, as: pass, facts: facts, tally: tally)
            if let session = pass.begun { noteUse(of: session, on: pass.principal.terminalId ?? facts.clientId) }
            return true
        } catch {
            tell(facts, error)
            return false
        }
    }

    /// Returns whether a connected client, or an MQTT session without a connection, may stay.
    ///
    /// The broker calls this function after it has reloaded its configuration. For these calls, the gate counts nothing
    /// and publishes nothing. Mosquitto 2.0.11 also asks about sessions without a connection. It reads no new CONNECT
    /// until it has asked about all sessions. Other versions may read new CONNECTs meanwhile. With these versions, the
    /// gate refuses each client that has no known connection, because the client could be a new one.
    private func mayStay(_ client: OpaquePointer) -> Bool {
        look()
        if let known = clients[client], known.isConnected, known.isStill(client) { return rights(of: known) != nil }
        guard BrokerVersion.isTested, let known = find(client) else { return false }
        return rights(of: known) != nil
    }

    /// Publishes the refusal of a CONNECT or HTTP request.
    ///
    /// For `tooFast` and `busy`, at most one refusal per client per second is published.
    func tell(_ facts: Broker.Facts, _ reason: RefusalReason) {
        let key = "\(facts.clientId) \(facts.address)"
        if reason == .tooFast || reason == .busy, !refusals.mayTellTooFast(key, at: Clock.steady()) { return }
        tell(
            Refusals.Entry(
                username: facts.username,
                clientId: facts.clientId,
                address: facts.address,
                action: .connect,
                reason: reason
            )
        )
    }

    /// Records and reports the first use of a session's token.
    ///
    /// From then on, the gate no longer admits the terminal with the app's secret or with the session's previous token.
    func noteUse(of session: Session, on terminalId: String) {
        let now = Clock.now()
        admission.used.insert(session.sessionId)
        if let old = session.old { admission.spent.insert(old, of: session.sessionId, now: now) }
        let until = session.old.map { JSONValue.integer($0.until) }
        let use: JSONObject = ["sessionId": .string(session.sessionId), "until": until, "ts": .integer(now)]
        tellWorkers("system/token-used", ofTerminal: terminalId, use)
    }

    /// Checks the credentials of a connection or of an HTTP request.
    func check(_ facts: Broker.Facts, _ password: Digest?) throws(RefusalReason) -> Admission.Pass {
        let attempt = Admission.Attempt(
            username: facts.username,
            password: password,
            clientId: facts.clientId,
            certificate: facts.certificate
        )
        let tables = watch.isReadable ? watch.tables : nil
        return try admission.admit(attempt, by: tables, now: Clock.now())
    }

    /// Checks the limits on new clients, and the penalties for sending too fast.
    func checkLimits(
        _ pass: Admission.Pass,
        _ facts: Broker.Facts,
        source: String?,
        key: String
    ) throws(RefusalReason) {
        try checkPenalty(pass, key: key, source: source)
        if pass.isNewcomer, let source {
            let may = newClients.admit(facts.clientId, from: source, now: Clock.steady())
            guard may else { throw .tooManyNewClients }
        }
        guard pass.isSecretShared, let party = pass.principal.party else { return }
        guard !isCrowded || newcomers.knows(facts.clientId),
            newcomers.admit(facts.clientId, of: party, at: Clock.coarse())
        else { throw .busy }
    }

    private func welcome(_ client: OpaquePointer, as pass: Admission.Pass, facts: Broker.Facts, tally: Tally?) {
        if let old = clients.removeValue(forKey: client) { part(old, .lost) }
        absent[client] = nil
        if let old = connected[facts.clientId] { part(old, .takenOver) }
        if let old = link(of: pass.principal) { leaving.append(Leave(client: old, due: 0)) }
        let new = Client(pass, facts: facts, connection: nextNumber())
        giveRights(to: new)
        if pass.isSecretShared { new.bystander = watch.tables.terminals[facts.clientId]?.session?.sessionId }
        // If the client's old connection ended just now, its tally is in `tallies`.
        if let tally { _ = tallies.take(tally.key) }
        new.tally = tally
        if pass.principal.isCountedByAddress, !pass.isKey, let source = new.source {
            new.addressTally = addressTallies.join(source, at: Clock.coarse())
        }
        new.pointer = client
        new.isTLS = PrivateStructure.hasTLS(client)
        new.socket = PrivateStructure.socket(of: client)
        inherit(client, new)
        if new.rights.isConsole { beginTap(of: new) }
        clients[client] = new
        connected[facts.clientId] = new
        if case .link(let sessionId) = new.principal { links[sessionId] = new }
        tellArrival(of: new)
    }

    /// Handles DISCONNECT, which the broker also reports for clients that were never admitted.
    func forget(_ client: OpaquePointer, reason: Int32) {
        guard let known = clients.removeValue(forKey: client) else { return }
        leaveSession(of: known, client)
        // If the session outlives its connection, the broker still asks about the client's will and about messages to
        // queue for the client.
        if absent.count >= Self.absentMax { absent.removeAll() }
        absent[client] = known
        guard known.isConnected else { return }
        part(known, known.isLeaving ? .kicked : Departure(client, reason: reason))
    }

    private func part(_ client: Client, _ departure: Departure) {
        guard client.isConnected else { return }
        client.isConnected = false
        client.pointer = nil
        if let tally = client.tally { tallies.keep(tally, at: Clock.coarse()) }
        if let tally = client.addressTally { addressTallies.leave(tally, at: Clock.coarse()) }
        if connected[client.clientId] === client { connected[client.clientId] = nil }
        if case .link(let id) = client.principal, links[id] === client { links[id] = nil }
        subscribers.forget(client)
        client.outgoing = nil
        noteEnd(of: client)
        tellCut(of: client)
        if client.tap != nil { taps.removeAll { $0 === client } }
        tellDeparture(of: client, departure)
    }
}
