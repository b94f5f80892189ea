/// The reports by which `lamplighter feed` tells systemd its status, and that the feed is alive.
///
/// The feed reports that it is ready after its first attempt to read the database, even if the attempt fails. Otherwise
/// the broker couldn't start while the database is away, because systemd starts the broker only after this report. The
/// gate itself notices if the file that the feed writes is too old.
struct FeedReports: Sendable {
    private let socket: SystemdSocket?
    private var shown = ""
    private var ping = ContinuousClock.now

    /// Prepares the reports; if there is no socket, nothing is reported.
    init(_ socket: SystemdSocket?) { self.socket = socket }

    /// Reports the status if it has changed, and reports that the feed is alive.
    ///
    /// The report that the feed is alive is sent only as often as systemd requires.
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
