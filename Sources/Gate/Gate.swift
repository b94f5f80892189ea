import Credentials
import Metering

/// The plugin's state and its answers to the broker's questions.
///
/// The broker asks on one thread. Closing a connection runs the disconnect and access callbacks
/// before it returns, so nothing here calls `Broker.kick` while it works on a stored property.
/// The rules in words (reference: operation#gate).
final class Gate {
    let settings: Settings
    let watch: CredentialsWatch
    var admission: Admission
    var newClients: NewClients
    var newcomers: Newcomers
    /// The accounts of clients for which messages wait, by client id, and the sum of their bytes.
    var held: [String: Held] = [:]
    var heldBytes = 0
    /// The accounts of terminals that missed statuses.
    var slow: [String: Held] = [:]
    /// Whether newcomers are refused because of the memory held.
    var isCrowded = false
    /// Whether the clients that hold most are being ended.
    var isFull = false
    /// The allocator's least free memory since a moment.
    var leastFree: (since: Int64, bytes: Int) = (.min / 2, .max)
    /// The times at which the service is to end sessions of the broker, by client id.
    var pendingEnds: [String: Int64] = [:]
    /// Connections made in this turn of the broker's loop, which still asks about the messages that their sessions
    /// already hold.
    var inheriting: Set<OpaquePointer> = []
    /// Services that connected in this turn, to be allowed QoS 2.
    var arrivedServices: [Client] = []
    let shortage = Shortage()
    var refusals: Refusals
    /// Whether clients' messages are divided by shard; set by an option, or by the first worker that requests it.
    var hasShards: Bool
    let relayed: RelayedAddress
    var subscribers: RequestSubscribers
    /// The counts of clients without a connection.
    var tallies = Tallies<Tally>()
    /// The message counts of source addresses.
    var addressTallies: AddressTallies
    /// Client ids and source addresses that are refused for a while.
    var penalties: Penalties
    var closings: Closings
    /// The messages of devices that the status worker has not processed yet.
    var backlogs: Backlogs
    /// The topic of the status worker's echoes, and the prefix of its lanes' topics.
    let echoes: [UInt8]
    let rootLevels: Int

    /// Live connections by the broker's pointer, which it can reuse after a disconnect.
    var clients: [OpaquePointer: Client] = [:]
    /// Live connections by client id: the broker has one for each.
    var connected: [String: Client] = [:]
    /// Sessions without a connection, and sources of retained messages, that the broker asked about.
    var absent: [OpaquePointer: Client] = [:]
    /// The message that is being passed on to its subscribers.
    var passing: PassingMessage?
    /// Grows with each message that is passed on.
    var passingSerial: UInt64 = 0
    /// The batches in which messages wait, one for each worker.
    var batches: [OutgoingBatch] = []
    /// The prefix of the topics of batches.
    let batchTopics: [UInt8]

    /// Whether the broker is reloading its configuration, and asks about all connected clients as if they were new.
    var isReloading = false

    /// The consoles that watch messages.
    var taps: [Client] = []

    /// Connections to be closed, each at its time.
    var leaving: [Leave] = []

    /// The number of sessions revoked by command.
    var revocations: UInt64 = 0

    /// Whether something was published to a user since the last look at the file.
    ///
    /// A login that replaces another user's session revokes that user's topics through the file alone, and can happen
    /// between two looks: messages published after it must not be delivered by old grants.
    var mustLookToDeliver = false
    /// The prefixes of all users' and of all terminals' topics.
    let users: [UInt8]
    let apps: [UInt8]

    private var lastNumber = Clock.microseconds()
    /// The service's largest connection number at the last look.
    private var heeded: Int64 = 0
    private var lastLook: Int64 = 0
    private var lastReview: Int64 = 0
    /// The time of the last check of the memory held.
    var relievedAt: Int64 = 0
    /// The time of the last query of the allocator, and the process's size then.
    var memoryLook: (at: Int64, resident: Int) = (.min / 2, 0)
    /// Connections without a CONNECT.
    var unconnected = Unconnected()

    static let absentMax = 4_000
    static let lookEvery: Int64 = 100
    /// The time for which a terminal keeps its connection after its session's end, so that it receives the reason: 300
    /// to 500 ms, including the loop's 100 ms.
    static let farewell: Int64 = 350

    /// A connection that will be closed unless another connection or session replaces it by then.
    struct Leave {
        var client: Client
        /// On the steady clock, in milliseconds.
        var due: Int64
        /// The session whose end is the reason, if any.
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

    /// Grows whenever a client's rights may have changed.
    var generation: UInt64 { watch.generation &+ revocations }

    /// Returns the number of a new connection.
    ///
    /// Numbers grow within a run. A new run starts from the clock or, if that was set back, from the largest number
    /// that the service knows.
    func nextNumber() -> Int64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Continues from the largest number that the service knows.
    ///
    /// If that is larger than all numbers given here, the broker began with an older file: connected devices get new
    /// numbers, since the store ignores smaller ones.
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

    /// Reads the new records of the credentials file, and closes connections that lost their right to connect.
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

    /// Runs the tasks that are due; called at each turn of the broker's loop, at least every 100 ms.
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

    /// Publishes a refusal, or only counts it beyond the limit per second.
    func tell(_ entry: Refusals.Entry) {
        guard let message = refusals.message(about: entry, at: Clock.now()) else { return }
        Broker.publish(refusals.topic, message, qos: 0)
    }

    /// Applies records that a worker sends ahead of the file.
    ///
    /// A file that another machine's database feeds can receive a change a little later than the answers that follow
    /// from it.
    func learn(_ records: [Record]) {
        watch.learn(records)
        review(records)
    }

    /// Notes the sessions that began on connected terminals.
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

    /// Closes the clients that would no longer be admitted.
    private func review(_ clients: [Client]) {
        for client in clients where rights(of: client) == nil && !client.isLeaving {
            leaving.append(Leave(client: client, due: 0))
        }
    }

    /// Closes the terminals whose session has ended according to a replaced file, without a command to revoke it.
    ///
    /// They were admitted, or their session began, by an older file. They keep their connections as long as after a
    /// revocation, since its message may be on its way.
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
                // A login on this very connection, after the file was written.
                client.take(live.sessionId)
                continue
            }
            client.isCutOff = true
            // A login until then keeps the connection.
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
                // The connection belongs to another session by now.
                if leave.session == leave.client.cutSession { tellCut(of: leave.client) }
                continue
            }
            leave.client.isLeaving = true
            if leave.session != nil { endSession(of: leave.client) }
            Broker.kick(leave.client.clientId)
        }
    }

    /// Whether the connection must still be closed: it was not replaced, and no other session is on its terminal.
    private func isOwed(_ leave: Leave) -> Bool {
        guard connected[leave.client.clientId] === leave.client else { return false }
        guard let session = leave.session else { return true }
        return !hasOtherSession(leave.client.clientId, than: session)
    }

    /// Whether a session other than this one is live on the terminal.
    func hasOtherSession(_ terminalId: String, than sessionId: String) -> Bool {
        let session = watch.tables.terminals[terminalId]?.session
        guard let live = admission.live(session, at: Clock.now()) else { return false }
        return live.sessionId != sessionId
    }

    /// Returns the client's rights by the newest known records; nil if it would no longer be admitted.
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
