/// The reports to systemd that the feed is alive, with its status.
///
/// The feed is ready after its first try, even if the database can't be reached: the broker, which starts after it,
/// would wait for it, and the gate notices an old file itself.
struct FeedReports: Sendable {
    private let socket: SystemdSocket?
    private var shown = ""
    private var ping = ContinuousClock.now

    /// Prepares the reports; without a socket, nothing is reported.
    init(_ socket: SystemdSocket?) { self.socket = socket }

    /// Reports the feed's status when it changes, and that it is alive as often as systemd expects.
    mutating func live(_ status: String) {
        guard let socket else { return }
        var lines = shown.isEmpty ? ["READY=1"] : []
        if status != shown { lines.append("STATUS=\(status)") }
        shown = status
        if let watchdog = socket.watchdog, ping <= .now {
            lines.append("WATCHDOG=1")
            ping = .now + watchdog / 4
        }
        if !lines.isEmpty { socket.send(lines) }
    }

    /// Reports that the feed is stopping.
    func stop() { socket?.send(["STOPPING=1", "STATUS=stopping"]) }
}
