import Batching
import Credentials
import JSON

extension Gate {
    private static let commandsMax = 1_000

    /// Carries out the commands in a message on `$CONTROL/lamplighter/v1`.
    func control(_ pointer: OpaquePointer, _ payload: UnsafeBufferPointer<UInt8>) {
        guard let client = clients[pointer], client.isStill(pointer), client.rights.isWorker, client.isConnected else {
            return
        }
        guard let commands = Self.commands(in: payload) else {
            Broker.log(.warning, "ignored unintelligible commands from \(client.clientId)")
            return
        }
        look()
        for command in commands.prefix(Self.commandsMax) { obey(command) }
    }

    private static func commands(in payload: UnsafeBufferPointer<UInt8>) -> [JSONObject]? {
        guard payload.count <= 65_536, let value = try? JSONValue.parse(payload),
            let commands = value.objectValue?["commands"]?.arrayValue
        else { return nil }
        let objects = commands.compactMap(\.objectValue)
        return objects.count == commands.count ? objects : nil
    }

    private func obey(_ command: JSONObject) {
        switch command["command"]?.stringValue {
        case "revokeSession":
            guard let sessionId = command["sessionId"]?.stringValue, let terminalId = command["terminalId"]?.stringValue
            else { return complain(of: "revokeSession") }
            revoke(sessionId, on: terminalId)
        case "kickDevice":
            guard let did = command["did"]?.stringValue else { return complain(of: "kickDevice") }
            guard let client = connected[did], client.did == did else { return }
            leaving.append(Leave(client: client, due: 0))
        case "announcePresence":
            // If the command names a lane, only that lane's devices are announced. Otherwise, all devices are
            // announced.
            let lane = command["lane"]?.intValue.flatMap { Int(exactly: $0) } ?? 0
            let lanes = command["lanes"]?.intValue.flatMap { Int(exactly: $0) } ?? 1
            let shards = Shards(lane: lane, of: max(1, lanes))
            for client in connected.values where client.did.map(shards.contain) ?? false { tellArrival(of: client) }
        case "divide": divide()
        case "learn":
            let texts = (command["records"]?.arrayValue ?? []).compactMap(\.stringValue)
            let records = texts.compactMap(Record.init(hex:))
            if records.isEmpty || records.count != texts.count { complain(of: "learn") }
            learn(records)
        default: Broker.log(.warning, "ignored an unknown command")
        }
    }

    private func complain(of command: String) { Broker.log(.warning, "\(command) has a missing or wrong field") }

    /// Ends a session immediately, and the connection of its terminal a little later.
    private func revoke(_ sessionId: String, on terminalId: String) {
        admission.revoked.insert(sessionId)
        revocations &+= 1
        let isReplaced = hasOtherSession(terminalId, than: sessionId)
        for client in absent.values where client.terminalId == terminalId && !isReplaced {
            client.isCutOff = true
            owe(client.clientId, after: 0)
        }
        guard !isReplaced, let client = client(on: terminalId), client.isTerminal,
            // If the terminal has since connected with the app's secret, that connection stays open.
            client.session == sessionId
        else { return tellCut(of: sessionId, on: terminalId) }
        if client.cutSession != sessionId { tellCut(of: client) }
        (client.isCutOff, client.cutSession) = (true, sessionId)
        let due = Clock.steady() &+ Self.farewell
        leaving.append(Leave(client: client, due: due, session: sessionId))
    }

    /// Notifies the service that no connection of a terminal uses the revoked session any more.
    func tellCut(of client: Client) {
        guard let session = client.cutSession else { return }
        client.cutSession = nil
        tellCut(of: session, on: client.terminalId ?? client.clientId)
    }

    private func tellCut(of sessionId: String, on terminalId: String) {
        let cut: JSONObject = ["sessionId": .string(sessionId), "ts": .integer(Clock.now())]
        tellWorkers("system/session-cut", ofTerminal: terminalId, cut)
    }
}
