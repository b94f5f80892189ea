/// An option of the gate that follows a setting: what stands behind `plugin_opt_` in the broker's configuration.
package struct GateOption: Sendable {
    /// Its name.
    package let name: String
    /// The setting that it follows.
    package let key: String
    /// The factor for the setting's number: 1,024 where it is in KiB.
    package let factor: Int

    init(_ name: String, _ key: String, factor: Int = 1) {
        self.name = name
        self.key = key
        self.factor = factor
    }

    /// All of them, in the order in which they are written.
    package static let all: [GateOption] =
        [GateOption("new_clients_per_minute", "broker.newClientsPerMinute")]
        + ["terminal", "device", "product", "service"].flatMap { who in
            [
                GateOption("\(who)_messages_per_second", "limits.\(who)MessagesPerSecond"),
                GateOption("\(who)_message_burst", "limits.\(who)MessageBurst"),
                GateOption(
                    "\(who)_bytes_per_second",
                    "limits.\(who)KilobytesPerSecond",
                    factor: 1_024
                ),
                GateOption("\(who)_byte_burst", "limits.\(who)KilobyteBurst", factor: 1_024),
            ]
        } + [
            GateOption("address_messages_per_second", "limits.addressMessagesPerSecond"),
            GateOption("address_message_burst", "limits.addressMessageBurst"),
            GateOption("terminal_subscriptions", "limits.terminalSubscriptions"),
            GateOption("subscription_levels", "limits.subscriptionLevels"),
            GateOption("publish_levels", "limits.publishLevels"),
            GateOption("correlation_bytes", "limits.correlationBytes"),
            GateOption("response_topic_bytes", "limits.responseTopicBytes"),
            GateOption("too_fast_seconds", "limits.tooFastSeconds"),
            GateOption("too_fast_pause", "limits.tooFastPause"),
            GateOption("too_fast_closings", "limits.tooFastClosings"),
            GateOption("status_backlog", "limits.statusBacklog"),
        ]

    /// Returns the lines of a configuration.
    package static func lines(_ settings: Settings) -> [String] {
        all.map { "plugin_opt_\($0.name) \(settings.integer($0.key) * $0.factor)" }
    }
}
