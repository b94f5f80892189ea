import Load

/// Measures how soon an intruder loses access after the owner changes the password.
final class AbuseEviction {
    private let ground: AbuseGround
    private let account: AbuseSeed.Account
    private let owner: LoadConnections
    private let intruder: LoadConnections
    private var begin: Int64 = 0
    /// Milliseconds from the owner's request to its answer, and to the intruder's last moment.
    private(set) var answered: Double?
    private(set) var isRefused = false
    private(set) var cut: Double?

    init(_ ground: AbuseGround, _ account: AbuseSeed.Account) {
        self.ground = ground
        self.account = account
        let root = ground.root
        owner = LoadConnections([
            .init(
                login: account.owner.login(),
                filters: ["\(account.owner.space(root))/response"]
            )
        ])
        intruder = LoadConnections([
            .init(
                login: account.intruder.login(),
                filters: ["\(root)/user/\(account.intruder.uid)/#"]
            )
        ])
    }

    /// Connects both.
    ///
    /// - Throws: `LoadError`.
    func connect() throws(LoadError) {
        try owner.connect(port: ground.port, take)
        try intruder.connect(port: ground.port) { _, _, _ in }
    }

    /// Changes the password.
    func start() {
        begin = LoadClock.nanoseconds
        let terminal = account.owner
        let body =
            "{\"id\":\"evict-\(begin)\",\"token\":\"\(terminal.token)\",\"params\":{\"oldPassword\":"
            + "\"\(BenchSeed.password)\",\"newPassword\":\"\(AbuseSeed.newPassword)\"}}"
        owner.queue(
            0,
            topic: Array("\(terminal.space(ground.root))/request/account/changePassword".utf8),
            payload: Array(body.utf8)
        )
        owner.flush(0)
    }

    /// Handles the packets that have arrived.
    ///
    /// - Throws: `LoadError` when the owner is cut off.
    func turn() throws(LoadError) {
        try owner.turn(milliseconds: 0, take)
        guard cut == nil else { return }
        do throws(LoadError) {
            try intruder.turn(milliseconds: 0) { _, _, _ in }
        } catch {
            if begin > 0 { cut = elapsed }
        }
    }

    /// Disconnects both.
    func end() {
        owner.disconnect()
        intruder.disconnect()
    }

    private var elapsed: Double { Double(LoadClock.nanoseconds - begin) / 1e6 }

    private func take(
        _: Int,
        _: UnsafeRawBufferPointer,
        payload: UnsafeRawBufferPointer
    ) {
        answered = answered ?? elapsed
        isRefused = isRefused || String(decoding: payload, as: UTF8.self).contains("\"ok\":false")
    }
}
