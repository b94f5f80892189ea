/// The intake and the publishing of workers.
extension SettingsTable {
    /// The bounds that keep an overloaded worker from making others wait.
    static let loop: [Setting] = [
        Setting(
            "limits.publishConnections",
            .integer(0...32),
            .integer(4),
            unit: "connections",
            "Connections each worker publishes over; the broker reads one packet of each in turn."
        ),
        Setting(
            "limits.outboxRows",
            .integer(10...1_000_000),
            .integer(2000),
            unit: "rows",
            "Rows the broker has not confirmed, from which on a worker reads no messages."
        ),
        Setting(
            "limits.outboxMegabytes",
            .integer(1...4096),
            .integer(32),
            unit: "MB",
            "Messages the broker has not confirmed, from which on a worker reads no more."
        ),
        Setting(
            "limits.intakeMessages",
            .integer(500...1_000_000),
            .integer(20_000),
            unit: "messages",
            "Messages that wait in a worker for their turn, from which on it reads none."
        ),
        Setting(
            "limits.intakeMegabytes",
            .integer(1...4096),
            .integer(16),
            unit: "MB",
            "Messages that wait in a worker for their turn, from which on it reads none."
        ),
        Setting(
            "limits.turn",
            .integer(1...10_000),
            .integer(20),
            unit: "ms",
            "Time that one transaction of messages may take, while others wait for their turn."
        ),
        Setting(
            "limits.unanswered",
            .integer(1...3600),
            .integer(5),
            unit: "s",
            "Age of the oldest unanswered message from which on a worker counts as not ready."
        ),
    ]
}
