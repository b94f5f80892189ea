import Domain

/// The intake and the publishing of workers.
extension SettingsTable {
    /// The bounds that keep an overloaded worker from making others wait.
    static let loop: [NumberSetting] = [
        NumberSetting(
            "limits.publishConnections",
            sets: \.outlets,
            in: 0...32,
            unit: "connections",
            doc:
                "Connections each worker publishes over; the broker reads one packet of each in turn."
        ),
        NumberSetting(
            "limits.outboxRows",
            sets: \.outboxRows,
            in: 10...1_000_000,
            unit: "rows",
            doc: "Rows the broker has not confirmed, from which on a worker reads no messages."
        ),
        NumberSetting(
            "limits.outboxMegabytes",
            sets: \.outboxBytes,
            times: 1 << 20,
            in: 1...4096,
            unit: "MB",
            doc: "Messages the broker has not confirmed, from which on a worker reads no more."
        ),
        NumberSetting(
            "limits.intakeMessages",
            sets: \.intakeMax,
            in: 500...1_000_000,
            unit: "messages",
            doc: "Messages that wait in a worker for their turn, from which on it reads none."
        ),
        NumberSetting(
            "limits.intakeMegabytes",
            sets: \.intakeBytes,
            times: 1 << 20,
            in: 1...4096,
            unit: "MB",
            doc: "Messages that wait in a worker for their turn, from which on it reads none."
        ),
        NumberSetting(
            "limits.turn",
            sets: \.turnMax,
            in: 1...10_000,
            unit: .milliseconds,
            doc: "Time that one transaction of messages may take, while others wait for their turn."
        ),
        NumberSetting(
            "limits.unanswered",
            sets: \.lateAfter,
            in: 1...3600,
            unit: .seconds,
            doc: "Age of the oldest unanswered message from which on a worker counts as not ready."
        ),
    ]
}
