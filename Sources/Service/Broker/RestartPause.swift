/// How long to wait before a broker that died is started again.
///
/// One that ran for a while gets a fresh start; one that dies at once is given time, though never so
/// much that devices would think the service gone.
struct RestartPause {
    static let first = Duration.milliseconds(100)
    static let last = Duration.seconds(5)
    /// How long a broker must have run to be forgiven its earlier deaths.
    static let steady = Duration.seconds(30)

    private var pause = first

    /// Returns the pause after a broker that ran so long.
    mutating func next(ran: Duration) -> Duration {
        pause = ran > Self.steady ? Self.first : min(pause * 2, Self.last)
        return pause
    }
}
