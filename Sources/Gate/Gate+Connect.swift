import Credentials
import JSON

extension Gate {
    /// Answers BASIC_AUTH: whether a client may connect.
    ///
    /// Nothing in Mosquitto 2.0.11 can fail between a yes and the client being connected without the
    /// disconnect callback being called for it.
    func admit(_ client: OpaquePointer, password: Digest?) -> Bool {
        guard let facts = Broker.facts(client) else { return false }
        look()
        do {
            let pass = try check(facts, password)
            welcome(client, facts, pass)
            if let session = pass.rotated { spend(session) }
            return true
        } catch {
            tell(
                Refusals.Entry(
                    username: facts.username,
                    clientId: facts.clientId,
                    address: facts.address,
                    action: .connect,
                    reason: error
                )
            )
            return false
        }
    }

    /// Ends a session's old token, since the new one was used, and tells the service.
    private func spend(_ session: Session) {
        guard let old = session.old else { return }
        let now = Clock.now()
        admission.spent.insert(old, of: session.sessionId, now: now)
        var json = JSONWriter()
        json.beginObject()
        json.name("sessionId")
        json.value(session.sessionId)
        json.name("until")
        json.value(old.until)
        json.name("ts")
        json.value(now)
        json.endObject()
        Broker.publish("\(settings.root)/system/token-used", json.finish(), qos: 1)
    }

    private func check(
        _ facts: Broker.Facts,
        _ password: Digest?
    ) throws(RefusalReason) -> Admission.Pass {
        let attempt = Admission.Attempt(
            username: facts.username,
            password: password,
            clientId: facts.clientId
        )
        let tables = watch.isReadable ? watch.tables : nil
        let pass = try admission.admit(attempt, by: tables, now: Clock.now())
        if pass.isNewTerminal {
            let may = newClients.admit(
                facts.clientId,
                from: facts.address,
                now: Clock.steady()
            )
            guard may else { throw .tooManyNewClients }
        }
        return pass
    }

    private func welcome(_ client: OpaquePointer, _ facts: Broker.Facts, _ pass: Admission.Pass) {
        if let old = clients.removeValue(forKey: client) { part(old, .lost) }
        absent[client] = nil
        if let old = connected[facts.clientId] { part(old, .takenOver) }
        let now = Clock.now()
        let rights = admission.rights(
            of: pass.principal,
            secret: pass.secret,
            by: watch.tables,
            now: now
        )
        let new = Client(
            pass,
            facts: facts,
            rights: rights ?? .none,
            generation: generation,
            number: nextNumber(),
            connectedAt: now,
            isConnected: true
        )
        clients[client] = new
        connected[facts.clientId] = new
        presence.tellArrival(of: new)
    }

    /// Takes in DISCONNECT, which also comes for clients that were never let in.
    func forget(_ client: OpaquePointer, reason: Int32) {
        guard let known = clients.removeValue(forKey: client) else { return }
        // Of a session that outlives its connection, the will and the queue are still asked about.
        if absent.count >= Self.absentMax { absent.removeAll() }
        absent[client] = known
        guard known.isConnected else { return }
        part(known, known.isLeaving ? .kicked : Departure(client, reason: reason))
    }

    /// Ends a connection in our books, and tells it once.
    private func part(_ client: Client, _ departure: Departure) {
        guard client.isConnected else { return }
        client.isConnected = false
        if connected[client.clientId] === client { connected[client.clientId] = nil }
        hearers.forget(client)
        presence.tellDeparture(of: client, departure)
    }
}
