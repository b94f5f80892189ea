import Credentials

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

    /// Live connections by the broker's pointer, which it may use again after a disconnect.
    var clients: [OpaquePointer: Client] = [:]
    /// Live connections by client id: the broker has one for each.
    var connected: [String: Client] = [:]
    /// Sessions without a connection, and sources of retained messages, as they were asked about.
    var absent: [OpaquePointer: Client] = [:]
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
    private var lastLook: Int64 = 0

    static let absentMax = 4_000
    static let lookEvery: Int64 = 100

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
        users = Array("\(settings.root)/user/".utf8)
        look()
    }

    /// Grows whenever somebody's rights may have changed.
    var generation: UInt64 { watch.generation &+ revocations }

    /// Numbers a connection: it grows within a run, and from run to run as the clock does.
    func nextNumber() -> Int64 {
        lastNumber &+= 1
        return lastNumber
    }

    /// Reads what is new in the credentials file, and has connections closed that it takes the right from.
    func look() {
        let wasReadable = watch.isReadable
        switch watch.look() {
        case .nothing: break
        case .records(let records): review(records)
        case .everything:
            review(Array(connected.values))
            if !watch.isReadable { complain() }
        }
        if watch.isReadable, !wasReadable { Broker.log(.notice, "credentials read") }
    }

    /// Does what is due: called at each turn of the broker's loop, at least every 100 ms.
    func tick() {
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
        let isWide = records.contains { $0.kind != .device && $0.kind != .terminal }
        review(isWide ? Array(connected.values) : records.compactMap { connected[$0.key] })
    }

    /// Has those closed that would not be let in any more.
    private func review(_ clients: [Client]) {
        for client in clients where rights(of: client) == nil && !client.isLeaving {
            leaving.append(Leave(client: client, due: 0))
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
