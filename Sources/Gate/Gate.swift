import Credentials
import Metering

/// The state of the plugin, and its answers to the broker's events.
///
/// The broker calls the gate on one thread. `Broker.kick` runs the disconnect and access callbacks before it returns.
/// Never call `Broker.kick` while a stored property is being changed (reference: operation#gate).
final class Gate {
    let settings: Settings
    let watch: CredentialsWatch
    var admission: Admission
    var newClients: NewClients
    var newcomers: Newcomers
    /// The `Held` records by client id.
    var held: [String: Held] = [:]
    /// The sum of the bytes in all `Held` records.
    var heldBytes = 0
    /// The `Held` records of terminals that have missed status messages.
    var slow: [String: Held] = [:]
    /// Whether newcomers are refused because clients take up too much of the broker's memory.
    var isCrowded = false
    /// Whether the gate is ending the sessions that take up the most memory.
    var isFull = false
    /// The smallest amount of free memory that the allocator has reported since the moment `since`.
    var leastFree: (since: Int64, bytes: Int) = (.min / 2, .max)
    /// The times at which the service must end MQTT sessions, by client id.
    var pendingEnds: [String: Int64] = [:]
    /// The connections that began in this round of the broker's loop.
    ///
    /// In the round in which a client connects, the broker also asks the gate about each message that is queued in
    /// the client's session. The gate doesn't count these messages as new deliveries.
    var inheriting: Set<OpaquePointer> = []
    /// The services that connected in this round and may not use QoS 2 yet.
    var arrivedServices: [Client] = []
    let shortage = Shortage()
    var refusals: Refusals
    /// Whether clients' messages are divided by shard, because an option or a worker requests it.
    var hasShards: Bool
    let relayed: RelayedAddress
    var subscribers: RequestSubscribers
    /// The tallies of clients that have no connection.
    var tallies = Tallies<Tally>()
    /// The message counts of source addresses.
    var addressTallies: AddressTallies
    /// The client ids and source addresses that are refused for a time.
    var penalties: Penalties
    var closings: Closings
    /// The counts of devices' messages that the status worker has not processed yet.
    var backlogs: Backlogs
    /// The topic of the status worker's echoes, which are messages that the worker sends to itself (`Backlogs`).
    ///
    /// If the worker has lanes, the topic of each lane's echoes begins with this topic.
    let echoes: [UInt8]
    let rootLevels: Int

    /// The live connections by the broker's pointer, which can be reused after a disconnect.
    var clients: [OpaquePointer: Client] = [:]
    /// The live connections by client id, at most one for each client id.
    var connected: [String: Client] = [:]
    /// The connection of each link, by the id of the link's session.
    ///
    /// A link can connect with a different client id each time. When a link connects again, the gate therefore ends the
    /// old connection.
    var links: [String: Client] = [:]
    /// The clients that have no live connection, but about which the broker has asked or may ask.
    ///
    /// Examples are disconnected clients with an MQTT session, and the publishers of retained messages.
    var absent: [OpaquePointer: Client] = [:]
    /// The message that the broker is passing on to its subscribers.
    var passing: PassingMessage?
    /// The serial number of the message in `passing`, which grows with each message.
    var passingSerial: UInt64 = 0
    /// The batches in which messages are waiting, one for each worker that receives batches.
    var batches: [OutgoingBatch] = []
    /// The prefix of the topics of batches.
    let batchTopics: [UInt8]

    /// Whether the broker is reloading its configuration and asks about clients as if they were new.
    var isReloading = false

    /// The connected consoles, which watch messages.
    var taps: [Client] = []

    /// The connections that will be closed, each with its closing time.
    var leaving: [Leave] = []

    /// The number of sessions that workers' commands have revoked.
    var revocations: UInt64 = 0

    /// Whether a message to a user was published since the credentials were last checked.
    ///
    /// If another user logs in on a terminal, the previous user's session ends. From then on, messages to the previous
    /// user must not reach the terminal. The gate learns of the login from the credentials file, and must therefore
    /// check the file before it delivers such a message.
    var mustLookToDeliver = false
    /// The prefix of all users' topics.
    let users: [UInt8]
    /// The prefix of all terminals' topics.
    let apps: [UInt8]

    private var lastNumber = Clock.microseconds()
    private var heeded: Int64 = 0
    private var lastLook: Int64 = 0
    private var lastReview: Int64 = 0
    /// The time of the last check of the memory that is held for clients.
    var relievedAt: Int64 = 0
    /// When the allocator was last queried, and the size of the process then.
    var memoryLook: (at: Int64, resident: Int) = (.min / 2, 0)
    /// The connections that haven't sent a CONNECT.
    var unconnected = Unconnected()

    static let absentMax = 4_000
    static let lookEvery: Int64 = 100
    /// How long a connection outlives its session, so that the terminal can receive the reason for the session's end.
    ///
    /// A round of the broker's loop takes up to 100 ms. The connection therefore stays open for 300 to 500 ms.
    static let farewell: Int64 = 350

    /// A connection that will be closed at `due`, unless another connection or session replaces it first.
    struct Leave {
        var client: Client
        /// The time at which to close the connection, in milliseconds of the steady clock.
        var due: Int64
        /// The session whose end is the reason to close the connection, or nil if there is another reason.
        var session: String?
    }

    init(_ settings: Settings, worker: Digest) {
        self.settings = settings
        watch = CredentialsWatch(path: settings.credentials, ageMax: settings.credentialsAgeMax)
        admission = Admission(root: settings.root, worker: worker, revoked: SessionMarks())
        newClients = NewClients(limit: settings.limits.newClientsPerMinute)
        newcomers = Newcomers(perSecond: settings.limits.newcomersPerSecond, now: Clock.coarse())
        refusals = Refusals(root: settings.root)
        hasShards = settings.hasShards
        relayed = RelayedAddress(path: settings.relayedAddresses)
        subscribers = RequestSubscribers(root: settings.root)
        addressTallies = AddressTallies(
            messagesPerSecond: settings.limits.addressMessagesPerSecond,
            messageBurst: settings.limits.addressMessageBurst
        )
        penalties = Penalties(pause: Int64(settings.limits.tooFastPause) &* 1_000)
        closings = Closings(limit: settings.limits.tooFastClosings)
        rootLevels = settings.rootLevels
        backlogs = Backlogs(limit: settings.limits.statusBacklog)
        echoes = Array("\(settings.root)/system/echo/status".utf8)
        users = Array("\(settings.root)/user/".utf8)
        apps = Array("\(settings.root)/app/".utf8)
        batchTopics = Array("\(settings.root)/system/batch/".utf8)
        look()
    }

    /// The generation of the credentials, which grows when clients' rights may have changed.
    var generation: UInt64 { watch.generation &+ revocations }

    /// Returns the number of a new connection.
    ///
    /// The numbers increase while the broker runs. After a restart, the numbers continue from the current time. If the
    /// clock was set back, they continue from the largest number that the service knows.
    func nextNumber() -> Int64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Makes new numbers of connections larger than the largest number that the service knows.
    ///
    /// If the broker started with an outdated credentials file, the service may know a larger number than the gate has
    /// assigned. Connected devices then get new numbers, because the store ignores smaller numbers.
    private func heedNumbers() {
        let known = watch.tables.lastConnection
        let isFirst = heeded == 0
        heeded = known
        guard known < .max / 2, isFirst || known > lastNumber else { return }
        let isBehind = known > lastNumber
        lastNumber = max(lastNumber, known &+ Record.connectionsLead)
        guard isBehind else { return }
        for client in connected.values where client.did != nil {
            client.number = nextNumber()
            tellArrival(of: client)
        }
    }

    /// Reads the credentials file's new records, and closes connections of clients that may no longer connect.
    func look() {
        let wasReadable = watch.isReadable
        switch watch.look() {
        case .nothing: break
        case .records(let records): review(records)
        case .everything(let last):
            noteLogins(in: last)
            review(Array(connected.values))
            if watch.isReadable {
                reviewSessions()
            } else {
                Broker.log(.error, "credentials file can't be read: only workers are admitted")
            }
        }
        if watch.tables.lastConnection > heeded { heedNumbers() }
        if watch.isReadable, !wasReadable { Broker.log(.notice, "credentials read") }
    }

    /// Runs the tasks that are due, in each round of the broker's loop.
    func tick() {
        isReloading = false
        if !inheriting.isEmpty { inheriting.removeAll() }
        allowServicesQoS2()
        sendBatches()
        let steady = Clock.steady()
        shortage.probe(at: steady)
        if steady &- lastLook >= Self.lookEvery {
            lastLook = steady
            look()
        }
        if !leaving.isEmpty { closeDue(at: steady) }
        if !taps.isEmpty { tellTaps(at: steady) }
        if !slow.isEmpty { tellMissed() }
        if steady &- relievedAt >= 100 { relieve(at: steady) }
        closeUnconnected(at: steady)
        if steady &- lastReview >= 1_000 {
            lastReview = steady
            reviewHeld(at: steady)
            tellOwed(at: steady)
        }
    }

    private func allowServicesQoS2() {
        guard !arrivedServices.isEmpty else { return }
        for client in arrivedServices { client.pointer.map(PrivateStructure.allowQoS2) }
        arrivedServices.removeAll()
    }

    /// Publishes a refusal, or only counts it if the limit for this second has been reached.
    func tell(_ entry: Refusals.Entry) {
        guard let message = refusals.message(about: entry, at: Clock.now()) else { return }
        Broker.publish(refusals.topic, message, qos: 0)
    }

    /// Applies records that a worker sends and that the credentials file doesn't contain yet.
    ///
    /// If the database is on another machine, changes can reach the credentials file late. A client can then get the
    /// response to its request before the file contains the change that the request made.
    func learn(_ records: [Record]) {
        watch.learn(records)
        review(records)
    }

    /// Returns the connection of the device or terminal with the given id.
    ///
    /// If the id belongs to a link's terminal, the result is the link's connection.
    func client(on id: String) -> Client? { connected[id] ?? links[Session.linkPrefix + id] }

    /// Returns the connection of a link, or nil if the principal isn't a link or isn't connected.
    func link(of principal: Principal) -> Client? {
        if case .link(let sessionId) = principal { links[sessionId] } else { nil }
    }

    /// Returns whether a terminal has a live session other than the given session.
    func hasOtherSession(_ terminalId: String, than sessionId: String) -> Bool {
        let session = watch.tables.terminals[terminalId]?.session
        guard let live = admission.live(session, at: Clock.now()) else { return false }
        return live.sessionId != sessionId
    }

    /// Returns the client's rights under the newest known records, or nil if it would not be admitted.
    func rights(of client: Client) -> Rights? {
        admission.rights(
            of: client.principal,
            secret: client.secret,
            certificate: client.certificate,
            isStranger: client.isStranger(to: watch.tables.terminals[client.clientId]?.session),
            by: watch.tables,
            now: Clock.now()
        )
    }
}
