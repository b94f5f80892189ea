import Credentials
import Glibc

/// A connection that was let in, or the session it left behind in the broker.
final class Client {
    let principal: Principal
    let clientId: String
    let username: String
    let address: String
    /// Where it comes from, as that is counted and told to workers, ready for the broker; nil for
    /// addresses that are not counted.
    let source: [CChar]?
    /// The same as text.
    let sourceText: String?
    /// What is counted of it; nil for the workers, who are never counted.
    var tally: Tally?
    /// The tally of its source address; nil for clients that are not counted by address.
    var addressTally: AddressTally?
    /// The broker's client while it is connected.
    var pointer: OpaquePointer?
    /// The session whose token it came with, or that has begun on its terminal since; the newest.
    var session: String?
    /// What it was let in with; nil when that is not to be compared again.
    let secret: Digest?
    /// Grows with every connection, across restarts of the broker too; made anew where the service turns out
    /// to know larger ones.
    var number: Int64
    let connectedAt: Int64

    /// The rights at `generation`.
    var rights: Rights
    var generation: UInt64
    /// False as soon as the connection is over or taken over: what it publishes then is its will.
    var isConnected: Bool
    /// Set before the gate closes the connection, so that nothing about it is told as a refusal.
    var isLeaving = false
    /// Whether it has subscribed to its commands, as a device.
    var isListening = false
    /// Whether its session was revoked while it was connected: its will is not sent.
    var isCutOff = false

    /// Whether it hears only requests that no other worker does (`RequestHearers`).
    ///
    /// Not before it has subscribed: what the broker denies a client at its CONNECT, of what it kept for it, it
    /// goes on counting as being under way (Mosquitto 2.0.11).
    var isStandIn = false
    /// The services whose requests it subscribed to, as a worker.
    var services: [[UInt8]] = []

    /// What is on its way to it as a worker that takes many messages in one; nil for all others.
    var outgoing: OutgoingBatch?

    private let nameBytes: [CChar]
    private let idBytes: [CChar]

    init(
        _ pass: Admission.Pass,
        facts: Broker.Facts,
        rights: Rights,
        generation: UInt64,
        number: Int64,
        connectedAt: Int64,
        isConnected: Bool
    ) {
        principal = pass.principal
        secret = pass.secret
        clientId = facts.clientId
        username = facts.username ?? ""
        address = facts.address
        sourceText = Self.source(of: facts, isConnected: isConnected)
        source = sourceText.map { Array($0.utf8CString) }
        session = pass.session
        nameBytes = Array(username.utf8CString)
        idBytes = Array(clientId.utf8CString)
        self.rights = rights
        self.generation = generation
        self.number = number
        self.connectedAt = connectedAt
        self.isConnected = isConnected
    }

    /// Whether this is still about the client at that address, which the broker may have used again.
    func isStill(_ client: OpaquePointer) -> Bool {
        guard let name = Broker.username(client), let id = Broker.clientId(client) else {
            return false
        }
        return strcmp(name, nameBytes) == 0 && strcmp(id, idBytes) == 0
    }

    /// Of a session without a connection that the gate doesn't remember, the broker knows no address.
    private static func source(of facts: Broker.Facts, isConnected: Bool) -> String? {
        isConnected ? SourceAddress(facts.address)?.text : "unknown"
    }

    /// Whether workers are told where its messages come from: requests and registrations.
    var tellsAddress: Bool {
        switch principal {
        case .terminal, .product: true
        case .device, .service: false
        }
    }

    var isTerminal: Bool {
        if case .terminal = principal { true } else { false }
    }

    /// The device's id, when it is one.
    var did: String? {
        if case .device(let did) = principal { did } else { nil }
    }

    /// Whether it is the service's own worker of that name.
    func isWorker(named name: Bytes) -> Bool {
        rights.isWorker && clientId.utf8.elementsEqual("svc.lamplighter.".utf8 + Array(name))
    }
}
