/// Tells systemd that the feed lives, and what it does.
///
/// It is ready after its first try, also where the database is away: the broker, which is started after it, would wait
/// for it, and the gate notices by itself that the file is old.
struct FeedReports: Sendable {
    private let socket: SystemdSocket?
    private var shown = ""
    private var ping = ContinuousClock.now

    /// Prepares the reports; nil where systemd asks for none.
    init(_ socket: SystemdSocket?) { self.socket = socket }

    /// Says what the feed does now, and that it lives, as often as systemd wants to hear it.
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

    /// Says that the feed ends.
    func stop() { socket?.send(["STOPPING=1", "STATUS=stopping"]) }
}
