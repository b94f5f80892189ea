import Credentials
import Metering

/// The plugin's state and its answers to the broker's questions.
///
/// The broker asks on one thread. Closing a connection runs the disconnect and access callbacks before it
/// returns, so nothing here calls `Broker.kick` while it works on a stored property.
final class Gate {
    let settings: Settings
    let watch: CredentialsWatch
    var admission: Admission
    var newClients: NewClients
    var refusals: Refusals
    let presence: Presence
    var hearers: RequestHearers
    /// What was counted of those who are not connected.
    var tallies = Tallies()
    /// Messages by source address.
    var addressTallies: AddressTallies
    /// Client ids and source addresses that are refused for a while.
    var penalties: Penalties
    var closings: Closings
    /// What devices have sent that the status worker has not done yet.
    var backlog: Backlog
    /// Where that worker sends its echoes.
    let echoes: [UInt8]
    let rootLevels: Int

    /// Live connections by the broker's pointer, which it may use again after a disconnect.
    var clients: [OpaquePointer: Client] = [:]
    /// Live connections by client id: the broker has one for each.
    var connected: [String: Client] = [:]
    /// Sessions without a connection, and sources of retained messages, as they were asked about.
    var absent: [OpaquePointer: Client] = [:]
    /// The message that is being passed on to its subscribers.
    var passing: PassingMessage?
    /// Grows with each of them.
    var passingSerial: UInt64 = 0
    /// Workers for whom messages wait in a batch, each with the topic of its batches.
    var batches: [OutgoingBatch] = []
    /// What the topics of batches begin with.
    let batchTopics: [UInt8]

    /// Connections to be closed, each when its time has come.
    var leaving: [Leave] = []

    /// How often sessions were revoked by command.
    var revocations: UInt64 = 0

    /// Whether something was published to a user since the last look at the file.
    ///
    /// A login in the place of another user takes the old one's topics away by the file alone, and it
    /// may come between two looks: so what is published after it must not be delivered by old grants.
    var mustLookToDeliver = false
    /// What the topics of all users begin with.
    let users: [UInt8]

    private var lastNumber = Clock.microseconds()
    /// What the service was known to know.
    private var heeded: Int64 = 0
    private var lastLook: Int64 = 0

    static let absentMax = 4_000
    static let lookEvery: Int64 = 100
    /// How long a terminal whose session ended keeps its connection, so that it hears why: with the loop's
    /// 100 ms the contract's 300 to 500.
    static let farewell: Int64 = 350

    /// A connection that will be closed unless something else is there by then.
    struct Leave {
        var client: Client
        /// On the steady clock, in milliseconds.
        var due: Int64
        /// The session whose end is the reason, if it is one.
        var session: String?
    }

    init(_ settings: Settings, worker: Digest) {
        self.settings = settings
        watch = CredentialsWatch(path: settings.credentials)
        admission = Admission(root: settings.root, worker: worker, revoked: RevokedSessions())
        newClients = NewClients(limit: settings.newClientsPerMinute)
        refusals = Refusals(root: settings.root)
        presence = Presence(root: settings.root)
        hearers = RequestHearers(root: settings.root)
        addressTallies = AddressTallies(
            messagesPerSecond: settings.limits.addressMessagesPerSecond,
            messageBurst: settings.limits.addressMessageBurst
        )
        penalties = Penalties(pause: Int64(settings.limits.tooFastPause) &* 1_000)
        closings = Closings(limit: settings.limits.tooFastClosings)
        rootLevels = settings.rootLevels
        backlog = Backlog(limit: settings.limits.statusBacklog)
        echoes = Array("\(settings.root)/system/echo/status".utf8)
        users = Array("\(settings.root)/user/".utf8)
        batchTopics = Array("\(settings.root)/system/batch/".utf8)
        look()
    }

    /// Grows whenever somebody's rights may have changed.
    var generation: UInt64 { watch.generation &+ revocations }

    /// Numbers a connection: it grows within a run, and from run to run as the clock does, or where that was
    /// set back from what the service knows.
    func nextNumber() -> Int64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Goes on from the largest number that the service knows.
    ///
    /// Where that is larger than any given here, the file was an older one when the broker began: who is
    /// connected gets a new number, since the store takes no smaller one for news.
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

    /// Reads what is new in the credentials file, and has connections closed that it takes the right from.
    func look() {
        let wasReadable = watch.isReadable
        switch watch.look() {
        case .nothing: break
        case .records(let records): review(records)
        case .everything:
            review(Array(connected.values))
            if watch.isReadable { reviewSessions() } else { complain() }
        }
        if watch.tables.lastConnection > heeded { heedNumbers() }
        if watch.isReadable, !wasReadable { Broker.log(.notice, "credentials read") }
    }

    /// Does what is due: called at each turn of the broker's loop, at least every 100 ms.
    func tick() {
        sendBatches()
        let steady = Clock.steady()
        if steady &- lastLook >= Self.lookEvery {
            lastLook = steady
            look()
        }
        if !leaving.isEmpty { closeDue(at: steady) }
    }

    /// Tells a refusal, unless it is one that nobody needs to hear of.
    func tell(_ entry: Refusals.Entry) {
        guard let message = refusals.message(about: entry, at: Clock.now()) else { return }
        Broker.publish(message.topic, message.payload, qos: 0)
    }

    private func complain() {
        Broker.log(.error, "credentials file can't be read: only the worker gets in")
    }

    private func review(_ records: [Record]) {
        for case .terminal(let terminalId, _, let session?) in records {
            connected[terminalId]?.session = session.sessionId
        }
        let isWide = records.contains { $0.kind != .device && $0.kind != .terminal }
        review(isWide ? Array(connected.values) : records.compactMap { connected[$0.key] })
    }

    /// Has those closed that would not be let in any more.
    private func review(_ clients: [Client]) {
        for client in clients where rights(of: client) == nil && !client.isLeaving {
            leaving.append(Leave(client: client, due: 0))
        }
    }

    /// Has those closed whose session is over by a file that is new, and not by anybody's word: they were let in,
    /// or were told of its beginning, by an older one.
    ///
    /// As late as after a revocation, whose word may be on its way.
    private func reviewSessions() {
        for client in connected.values where client.isTerminal && !client.isLeaving {
            let entry = watch.tables.terminals[client.clientId]?.session
            let live = admission.live(entry, at: Clock.now())
            guard let session = client.session else {
                client.session = live?.sessionId
                continue
            }
            guard live?.sessionId != session else { continue }
            if let live, watch.followed[client.clientId]?.contains(session) == true {
                // A login on this very connection, after the file was written.
                client.session = live.sessionId
                continue
            }
            client.isCutOff = true
            leaving.append(Leave(client: client, due: Clock.steady() &+ Self.farewell))
        }
    }

    private func closeDue(at steady: Int64) {
        let due = leaving.filter { $0.due <= steady }
        leaving.removeAll { $0.due <= steady }
        for leave in due where leave.client.isConnected {
            guard isOwed(leave) else {
                leave.client.isCutOff = false
                continue
            }
            leave.client.isLeaving = true
            Broker.kick(leave.client.clientId)
        }
    }

    /// Whether the connection is still the one meant, without another session on its terminal.
    private func isOwed(_ leave: Leave) -> Bool {
        guard connected[leave.client.clientId] === leave.client else { return false }
        guard let session = leave.session else { return true }
        return !hasOtherSession(leave.client.clientId, than: session)
    }

    /// Whether a session lives on the terminal that isn't this one.
    func hasOtherSession(_ terminalId: String, than sessionId: String) -> Bool {
        let session = watch.tables.terminals[terminalId]?.session
        guard let live = admission.live(session, at: Clock.now()) else { return false }
        return live.sessionId != sessionId
    }

    /// The rights by the newest records known; nil when it would not be let in any more.
    func rights(of client: Client) -> Rights? {
        admission.rights(
            of: client.principal,
            secret: client.secret,
            by: watch.tables,
            now: Clock.now()
        )
    }
}
