import CMosquittoBroker
import Credentials
import Glibc

/// An admitted connection, or the session that it left behind in the broker.
final class Client {
    let principal: Principal
    let clientId: String
    let username: String
    let address: String
    /// The source address as limits count it and workers receive it; nil for addresses that are not counted.
    let source: String?
    /// The counts of the client; nil for the workers, which are never counted.
    var tally: Tally?
    /// The tally of its source address; nil for clients that are not counted by address.
    var addressTally: AddressTally?
    /// The account of the memory held for it; nil while no message waits.
    var held: Held?
    /// Whether its connection is encrypted.
    var isTLS = false
    /// The descriptor of its connection; nil if unknown.
    var socket: Int32?
    /// The broker's client while it is connected.
    var pointer: OpaquePointer?
    /// The newest session whose token it connected with, or that has begun on its terminal since.
    private(set) var session: String?
    /// Whether it connected with a shared secret: the product's or the app's.
    let isSecretShared: Bool
    /// The session, not the client's own, that was already on the terminal when the client connected with the app's
    /// secret.
    var bystander: String?
    /// Whether it has sent a login or registration: only then can a session that begins on its terminal be its own.
    private(set) var hasAskedToLogIn = false
    /// The secret with which the client was admitted; nil if it is not to be compared again.
    let secret: Digest?
    /// The beginning of the validity of the certificate that the client presented instead of a secret; nil without a
    /// certificate.
    let certificate: Int64?
    /// The number of the connection, which grows with each, across restarts of the broker too; replaced if the service
    /// knows larger numbers.
    var number: Int64
    let connectedAt: Int64

    /// The rights at `generation`.
    var rights = Rights.none
    var generation: UInt64 = 0
    /// Whether the connection is live; after its end or a takeover, it publishes only its will.
    var isConnected: Bool
    /// Whether the gate is closing the connection; its last accesses are then not reported as refusals.
    var isLeaving = false
    /// Whether it has subscribed to its commands, as a device.
    var isListening = false
    /// Whether its session was revoked while it was connected: its will is not sent.
    var isCutOff = false
    /// The revoked session that this connection still belongs to; its end is reported with the connection's.
    var cutSession: String?

    /// Whether it receives only requests that no other worker receives (`RequestSubscribers`).
    ///
    /// False until it has subscribed: Mosquitto 2.0.11 keeps counting a queued message as in flight if the gate denies
    /// it at the client's CONNECT.
    var isFallback = false
    /// The services whose requests it subscribed to, as a worker.
    var services: [[UInt8]] = []

    /// The requests that wait for it, as a worker; nil for all other clients.
    var requests: RequestBacklog?

    /// The batch for a worker that takes many messages in one; nil for all other clients.
    var outgoing: OutgoingBatch?

    /// The limit on a console's deliveries; nil for all other clients.
    var tap: Tap?

    private let nameBytes: [CChar]
    private let idBytes: [CChar]

    /// Makes a client without rights; `connection` is the number of its connection, if it is live.
    init(
        _ pass: Admission.Pass,
        facts: Broker.Facts,
        connection: Int64? = nil
    ) {
        principal = pass.principal
        secret = pass.secret
        certificate = pass.certificate
        isSecretShared = pass.isSecretShared
        clientId = facts.clientId
        username = facts.username ?? ""
        address = facts.address
        // The broker has no address for a session without a connection.
        source = connection == nil ? "unknown" : SourceAddress(facts.address)?.text
        session = pass.session
        nameBytes = Array(username.utf8CString)
        idBytes = Array(clientId.utf8CString)
        number = connection ?? 0
        connectedAt = connection == nil ? 0 : Clock.now()
        isConnected = connection != nil
    }

    /// Whether the pointer still belongs to this client; the broker may have reused the memory.
    func isStill(_ client: OpaquePointer) -> Bool {
        guard let name = gate_client_username(client), let id = gate_client_id(client) else { return false }
        return strcmp(name, nameBytes) == 0 && strcmp(id, idBytes) == 0
    }

    /// Whether workers receive the source address of its messages: requests and registrations.
    var tellsAddress: Bool { principal.party != nil }

    /// Notes whether a message that it may publish is a login or registration.
    func noteLogin(on topic: Bytes, root: String) {
        guard isSecretShared, !hasAskedToLogIn, case .terminal(_, let appId) = principal else { return }
        let account = "\(root)/app/\(appId)/\(clientId)/request/account/"
        hasAskedToLogIn = topic.starts(with: "\(account)login".utf8) || topic.starts(with: "\(account)register".utf8)
    }

    /// Notes the session that has begun on its terminal, if its own login may have begun it.
    func take(_ sessionId: String) {
        guard !isSecretShared || hasAskedToLogIn && sessionId != bystander else { return }
        session = sessionId
    }

    /// Whether it connected with a shared secret and the terminal's session isn't its own.
    func isStranger(to session: Session?) -> Bool {
        isSecretShared && session != nil && session?.sessionId != self.session
    }

    var isTerminal: Bool {
        if case .terminal = principal { true } else { false }
    }

    /// The device's id; nil for other clients.
    var did: String? {
        if case .device(let did) = principal { did } else { nil }
    }

    /// Whether it is the service's own worker of that name.
    func isWorker(named name: Bytes) -> Bool {
        rights.isWorker && clientId.utf8.elementsEqual("svc.lamplighter.".utf8 + Array(name))
    }
}
