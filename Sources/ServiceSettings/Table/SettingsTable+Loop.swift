import Domain

/// The intake and the publishing of workers.
extension SettingsTable {
    /// The bounds that keep an overloaded worker from making others wait.
    static let loop: [NumberSetting] = [
        NumberSetting("limits.publishConnections", sets: \.outlets, in: 0...32, unit: "connections")
            .effect(
                "Connections each worker publishes over; the broker reads one packet from each in turn."
            ),
        NumberSetting("limits.outboxRows", sets: \.outboxRows, in: 10...1_000_000, unit: "rows")
            .effect(
                "A worker stops reading messages when its outbox has this many unconfirmed rows."
            ),
        NumberSetting(
            "limits.outboxMegabytes",
            sets: \.outboxBytes,
            times: 1 << 20,
            in: 1...4096,
            unit: "MB"
        )
        .effect(
            "A worker stops reading when the messages that the broker has not confirmed reach this size."
        ),
        NumberSetting(
            "limits.intakeMessages",
            sets: \.intakeMax,
            in: 500...1_000_000,
            unit: "messages"
        )
        .effect("A worker stops reading when this many messages wait in it for their turn."),
        NumberSetting(
            "limits.intakeMegabytes",
            sets: \.intakeBytes,
            times: 1 << 20,
            in: 1...4096,
            unit: "MB"
        )
        .effect(
            "A worker stops reading when the messages that wait in it for their turn reach this size."
        ),
        NumberSetting("limits.turn", sets: \.turnMax, in: 1...10_000, unit: .milliseconds)
            .effect(
                "Time that one transaction of messages may take, while others wait for their turn."
            ),
        NumberSetting("limits.unanswered", sets: \.lateAfter, in: 1...3600, unit: .seconds)
            .effect("Age of the oldest unanswered message at which a worker counts as not ready."),
    ]
}
