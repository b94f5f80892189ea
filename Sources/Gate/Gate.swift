import Credentials
import Metering

/// The state of the plugin, and its answers to the broker's events.
///
/// The broker calls the gate on one thread. `Broker.kick` runs the disconnect and access callbacks before it returns,
/// so no method calls it while it is changing a stored property. The documentation describes these rules (reference:
/// operation#gate).
final class Gate {
    let settings: Settings
    let watch: CredentialsWatch
    var admission: Admission
    var newClients: NewClients
    var newcomers: Newcomers
    /// The memory records of clients for which messages wait, by client id, and the total number of bytes.
    var held: [String: Held] = [:]
    var heldBytes = 0
    /// The memory records of terminals that missed statuses.
    var slow: [String: Held] = [:]
    /// Whether newcomers are refused because clients take up too much of the broker's memory.
    var isCrowded = false
    /// Whether the sessions that take up the most memory are being ended.
    var isFull = false
    /// The smallest amount of free memory that the allocator has reported since the moment `since`.
    var leastFree: (since: Int64, bytes: Int) = (.min / 2, .max)
    /// The times at which the service must end MQTT sessions, by client id.
    var pendingEnds: [String: Int64] = [:]
    /// The connections that began in this round of the broker's loop.
    ///
    /// In that round, the broker also asks whether each client may receive the messages that its session already
    /// contains.
    var inheriting: Set<OpaquePointer> = []
    /// The services that connected in this round of the broker's loop, and that must still be allowed to use QoS 2.
    var arrivedServices: [Client] = []
    let shortage = Shortage()
    var refusals: Refusals
    /// Whether clients' messages are divided by shard.
    ///
    /// The division is switched on by an option, or by the first worker that requests it.
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
    /// The messages of devices that the status worker has not processed yet.
    var backlogs: Backlogs
    /// The topic of the status worker's echoes, which is also the prefix of the topics of its lanes' echoes.
    let echoes: [UInt8]
    let rootLevels: Int

    /// The live connections by the broker's pointer, which the broker can reuse after a disconnect.
    var clients: [OpaquePointer: Client] = [:]
    /// The live connections by client id.
    ///
    /// Each client id has at most one connection.
    var connected: [String: Client] = [:]
    /// The MQTT sessions without a connection, and the sources of retained messages, about which the broker has asked.
    var absent: [OpaquePointer: Client] = [:]
    /// The message that the broker is passing on to its subscribers.
    var passing: PassingMessage?
    /// The serial number of the passing message, which grows with each message.
    var passingSerial: UInt64 = 0
    /// The batches in which messages wait, one for each worker that receives batches.
    var batches: [OutgoingBatch] = []
    /// The prefix of the topics of batches.
    let batchTopics: [UInt8]

    /// Whether the broker is reloading its configuration, during which it asks about all connected clients as if they
    /// were new.
    var isReloading = false

    /// The consoles that watch messages, as clients.
    var taps: [Client] = []

    /// The connections that will be closed, each with its time.
    var leaving: [Leave] = []

    /// The number of sessions that workers' commands have revoked.
    var revocations: UInt64 = 0

    /// Whether a message was published to a user since the credentials file was last checked for changes.
    ///
    /// If a login replaces another user's session, the file alone revokes the rights to that user's topics, and this
    /// can happen between two checks of the file. Messages that are published after the login must not be delivered by
    /// the old rights.
    var mustLookToDeliver = false
    /// The prefix of all users' topics, and the prefix of all terminals' topics.
    let users: [UInt8]
    let apps: [UInt8]

    private var lastNumber = Clock.microseconds()
    /// The largest connection number that the service knew when the file was last checked.
    private var heeded: Int64 = 0
    private var lastLook: Int64 = 0
    private var lastReview: Int64 = 0
    /// The time at which the memory held for clients was last checked.
    var relievedAt: Int64 = 0
    /// The time at which the allocator was last queried, and the size of the process at that time.
    var memoryLook: (at: Int64, resident: Int) = (.min / 2, 0)
    /// The connections that haven't sent a CONNECT.
    var unconnected = Unconnected()

    static let absentMax = 4_000
    static let lookEvery: Int64 = 100
    /// The time for which a terminal keeps its connection after the end of its session, so that it receives the reason.
    ///
    /// With the 100 ms of the broker's loop, the connection stays for 300 to 500 ms.
    static let farewell: Int64 = 350

    /// A connection that will be closed at a given time, unless another connection or session replaces it before then.
    struct Leave {
        var client: Client
        /// The time by the steady clock, in milliseconds.
        var due: Int64
        /// The session whose end is the reason for closing the connection, if any.
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

    /// The generation of the credentials, which grows whenever a client's rights may have changed.
    var generation: UInt64 { watch.generation &+ revocations }

    /// Returns the number of a new connection.
    ///
    /// The numbers increase while the broker runs. After a restart they continue from the clock or, if the clock was
    /// set back, from the largest number that the service knows.
    func nextNumber() -> Int64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Continues the numbers of connections from the largest number that the service knows.
    ///
    /// If that number is larger than all numbers given here, the broker started with an older file. Connected devices
    /// then get new numbers, because the store ignores smaller numbers.
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

    /// Reads the new records of the credentials file, and closes connections that have lost their right to connect.
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

    /// Runs the tasks that are due.
    ///
    /// The broker calls this in each round of its loop, at least every 100 ms.
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

    /// Publishes a refusal, or only counts it if this second's limit is reached.
    func tell(_ entry: Refusals.Entry) {
        guard let message = refusals.message(about: entry, at: Clock.now()) else { return }
        Broker.publish(refusals.topic, message, qos: 0)
    }

    /// Applies records that a worker sends before the file contains them.
    ///
    /// If the file is fed from a database on another machine, a change can reach the file a little later than the
    /// answers that depend on it.
    func learn(_ records: [Record]) {
        watch.learn(records)
        review(records)
    }

    /// Records the sessions that began on connected terminals.
    private func noteLogins(in records: [Record]) {
        for case .terminal(let terminalId, _, let session?) in records {
            connected[terminalId]?.take(session.sessionId)
        }
    }

    private func review(_ records: [Record]) {
        noteLogins(in: records)
        let narrow: Set<Record.Kind> = [.device, .certificates, .terminal]
        let isWide = records.contains { !narrow.contains($0.kind) }
        review(isWide ? Array(connected.values) : records.compactMap { connected[$0.key] })
    }

    /// Closes the connections of clients that would no longer be admitted.
    private func review(_ clients: [Client]) {
        for client in clients where rights(of: client) == nil && !client.isLeaving {
            leaving.append(Leave(client: client, due: 0))
        }
    }

    /// Closes the connections of terminals whose session has ended according to a replaced file, although no command
    /// has revoked the session.
    ///
    /// Such terminals were admitted, or their sessions began, by an older file. Their connections are kept for as long
    /// as after a revocation, because the message about the end may be on its way.
    private func reviewSessions() {
        for client in connected.values where client.isTerminal && !client.isLeaving {
            let entry = watch.tables.terminals[client.clientId]?.session
            let live = admission.live(entry, at: Clock.now())
            guard let session = client.session else {
                if let live { client.take(live.sessionId) }
                continue
            }
            guard live?.sessionId != session else { continue }
            if let live, watch.followed[client.clientId]?.contains(session) == true {
                // The terminal logged in on this connection after the file was written.
                client.take(live.sessionId)
                continue
            }
            client.isCutOff = true
            // If the terminal logs in before that time, it keeps the connection.
            let ended = live == nil ? session : nil
            let due = Clock.steady() &+ Self.farewell
            leaving.append(Leave(client: client, due: due, session: ended))
        }
    }

    private func closeDue(at steady: Int64) {
        let due = leaving.filter { $0.due <= steady }
        leaving.removeAll { $0.due <= steady }
        for leave in due where leave.client.isConnected {
            guard isOwed(leave) else {
                leave.client.isCutOff = false
                // The connection now belongs to another session.
                if leave.session == leave.client.cutSession { tellCut(of: leave.client) }
                continue
            }
            leave.client.isLeaving = true
            if leave.session != nil { endSession(of: leave.client) }
            Broker.kick(leave.client.clientId)
        }
    }

    /// Returns whether a connection must still be closed, because no other connection or session has replaced it.
    private func isOwed(_ leave: Leave) -> Bool {
        guard connected[leave.client.clientId] === leave.client else { return false }
        guard let session = leave.session else { return true }
        return !hasOtherSession(leave.client.clientId, than: session)
    }

    /// Returns whether a terminal has a live session other than the given session.
    func hasOtherSession(_ terminalId: String, than sessionId: String) -> Bool {
        let session = watch.tables.terminals[terminalId]?.session
        guard let live = admission.live(session, at: Clock.now()) else { return false }
        return live.sessionId != sessionId
    }

    /// Returns the client's rights by the newest known records, or nil if the client would no longer be admitted.
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
