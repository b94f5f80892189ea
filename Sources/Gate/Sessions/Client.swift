import CMosquittoBroker
import Credentials
import Glibc

/// A client with an admitted connection, or with an MQTT session that outlived its connection.
final class Client {
    let principal: Principal
    let clientId: String
    let username: String
    let address: String
    /// The client's source address for the limits and for workers, or nil if the address isn't counted.
    let source: String?
    /// The counts of the client, or nil for workers, which are never counted.
    var tally: Tally?
    /// The tally of the source address, or nil for clients that aren't counted by address.
    var addressTally: AddressTally?
    /// The record of the memory used for the client, or nil while the gate keeps no such record.
    var held: Held?
    /// Whether the client's connection is encrypted.
    var isTLS = false
    /// The file descriptor of the client's connection, or nil if it is unknown.
    var socket: Int32?
    /// The broker's structure for the client, or nil while the client isn't connected.
    var pointer: OpaquePointer?
    /// The session of the token with which the client connected, or a newer session of the client's terminal.
    private(set) var session: String?
    /// Whether the client connected with a secret that many clients share: a product's or an app's.
    let isSecretShared: Bool
    /// The session that the terminal already had when the client connected with the app's secret.
    var bystander: String?
    /// Whether the client has sent a login or registration.
    ///
    /// If the client connected with the app's secret, the gate treats a new session of the terminal as the client's own
    /// only after the client has sent such a message.
    private(set) var hasAskedToLogIn = false
    /// The digest of the secret that admitted the client, or nil if it is unknown or must not be compared again.
    let secret: Digest?
    /// The moment from which the client's certificate is valid, or nil if the client used no certificate.
    let certificate: Int64?
    /// The sequence number of the connection.
    ///
    /// Numbers grow with each connection, even across restarts of the broker. A device's connection gets a new number
    /// if the service already knows a larger number than the gate has assigned.
    var number: Int64
    let connectedAt: Int64

    /// The client's rights, computed from the credentials whose generation is `generation`.
    var rights = Rights.none
    var generation: UInt64 = 0
    /// True while the connection is live, until it ends or is taken over.
    ///
    /// Without a live connection, the client publishes only its will.
    var isConnected: Bool
    /// Whether the gate has begun to close the connection and therefore no longer reports refused accesses.
    var isLeaving = false
    /// Whether the client is a device that has subscribed to its commands.
    var isListening = false
    /// Whether the session was revoked or has ended, so that no last will is sent.
    var isCutOff = false
    /// The revoked session to which this connection still belongs.
    ///
    /// When the connection ends, the gate notifies the service.
    var cutSession: String?

    /// Whether the client is the worker for requests that no other worker receives (`RequestSubscribers`).
    ///
    /// The gate denies this worker the requests that another worker receives. At the worker's CONNECT, the broker
    /// delivers the queued messages. The gate must not deny any of them, because Mosquitto 2.0.11 would count a denied
    /// queued message as in flight forever. The value is therefore false until the worker has subscribed.
    var isFallback = false
    /// The names of the services whose requests the client has subscribed to.
    var services: [[UInt8]] = []

    /// The count of requests that wait for a worker, or nil if the client isn't a worker.
    var requests: RequestBacklog?

    /// The batch of a worker that receives batches, or nil for all other clients.
    var outgoing: OutgoingBatch?

    /// The limit on a console's deliveries; nil for all other clients.
    var tap: Tap?

    private let nameBytes: [CChar]
    private let idBytes: [CChar]

    /// Makes a client without rights.
    ///
    /// `connection` is the number of the client's connection, or nil if the client isn't connected.
    init(_ pass: Admission.Pass, facts: Broker.Facts, connection: Int64? = nil) {
        principal = pass.principal
        secret = pass.secret
        certificate = pass.certificate
        isSecretShared = pass.isSecretShared
        clientId = facts.clientId
        username = facts.username ?? ""
        address = facts.address
        // The broker knows no address for a session without a connection.
        source = connection == nil ? "unknown" : SourceAddress(facts.address)?.text
        session = pass.session
        nameBytes = Array(username.utf8CString)
        idBytes = Array(clientId.utf8CString)
        number = connection ?? 0
        connectedAt = connection == nil ? 0 : Clock.now()
        isConnected = connection != nil
    }

    /// Returns whether a pointer still belongs to this client, and not to another client in reused memory.
    func isStill(_ client: OpaquePointer) -> Bool {
        guard let name = gate_client_username(client), let id = gate_client_id(client) else { return false }
        return strcmp(name, nameBytes) == 0 && strcmp(id, idBytes) == 0
    }

    /// Whether workers receive the source address with the client's messages (requests or registrations).
    var tellsAddress: Bool { principal.party != nil }

    /// Records a login or registration, if the client publishes one.
    func noteLogin(on topic: Bytes, root: String) {
        guard isSecretShared, !hasAskedToLogIn, case .terminal(_, let appId) = principal else { return }
        let account = "\(root)/app/\(appId)/\(clientId)/request/account/"
        hasAskedToLogIn = topic.starts(with: "\(account)login".utf8) || topic.starts(with: "\(account)register".utf8)
    }

    /// Records a session as the client's own if the client's login may have begun it.
    func take(_ sessionId: String) {
        guard !isSecretShared || hasAskedToLogIn && sessionId != bystander else { return }
        session = sessionId
    }

    /// Returns whether the client used a shared secret and `session` isn't the client's own session.
    func isStranger(to session: Session?) -> Bool {
        isSecretShared && session != nil && session?.sessionId != self.session
    }

    /// The id of the principal's terminal (`Principal.terminalId`).
    var terminalId: String? { principal.terminalId }

    var isTerminal: Bool { terminalId != nil }

    /// The device's id; nil for other clients.
    var did: String? { if case .device(let did) = principal { did } else { nil } }

    /// Returns whether the client is the service's own worker of the given name.
    func isWorker(named name: Bytes) -> Bool {
        rights.isWorker && clientId.utf8.elementsEqual("svc.lamplighter.".utf8 + Array(name))
    }
}
