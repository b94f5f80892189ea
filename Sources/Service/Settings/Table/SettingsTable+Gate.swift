/// The limits of one connection, which the gate counts.
extension SettingsTable {
    /// The gate's options under `up`; for `serve` they are in the broker's own configuration
    /// (deploy/mosquitto).
    ///
    /// Why these: a terminal that sends without end costs at most 20 transactions' work a second of the some thousands
    /// that a machine does, so that a hundred of them are still a nuisance only; a burst of 100 is what an app
    /// sends that opens with thirty devices, a burst of 500 what a device stored while it was away. In bytes the
    /// long run is 11 GB a day for a terminal and 22 for a device, which the bounds on what is kept stand behind.
    package static let gate: [Setting] =
        sender("terminal", "an app's terminal", [20, 100, 128, 1_024])
        + sender("device", "a device", [50, 500, 256, 2_048])
        + sender("product", "a connection that registers a device", [5, 20, 64, 512])
        + sender(
            "service",
            "an operator's service, such as a gateway; never a worker",
            [0, 0, 0, 0]
        )
        + address + forms + patience

    private static func sender(_ key: String, _ who: String, _ values: [Int]) -> [Setting] {
        [
            Setting(
                "limits.\(key)MessagesPerSecond",
                .integer(0...1_000_000),
                .integer(values[0]),
                unit: "1/s",
                "Messages that \(who) may send in the long run; 0: any number."
            ),
            Setting(
                "limits.\(key)MessageBurst",
                .integer(0...1_000_000),
                .integer(values[1]),
                unit: "messages",
                "Messages that it may send at once; 0: as many as in a second."
            ),
            Setting(
                "limits.\(key)KilobytesPerSecond",
                .integer(0...1_000_000),
                .integer(values[2]),
                unit: "KiB/s",
                "Bytes of topics, payloads and properties that \(who) may send; 0: any number."
            ),
            Setting(
                "limits.\(key)KilobyteBurst",
                .integer(0...1_000_000),
                .integer(values[3]),
                unit: "KiB",
                "Bytes that it may send at once; a larger message never passes. 0: as many as in a second."
            ),
        ]
    }

    private static let address: [Setting] = [
        Setting(
            "limits.addressMessagesPerSecond",
            .integer(0...1_000_000),
            .integer(200),
            unit: "1/s",
            "Messages of all terminals and registering devices of one source address; beyond it those that send seldom are served. Not for 127.0.0.1 and ::1; raise it, or set 0 (any number), where a proxy elsewhere stands for all."
        ),
        Setting(
            "limits.addressMessageBurst",
            .integer(0...1_000_000),
            .integer(2_000),
            unit: "messages",
            "Messages that these may send at once; 0: as many as in a second."
        ),
    ]

    private static let forms: [Setting] = [
        Setting(
            "limits.terminalSubscriptions",
            .integer(0...100_000),
            .integer(64),
            unit: "filters",
            "Subscriptions that a terminal may hold; 0: any number."
        ),
        Setting(
            "limits.subscriptionLevels",
            .integer(0...200),
            .integer(8),
            unit: "levels",
            "Levels of a terminal's filter, of the granted forms, with a root of two; 0: any form."
        ),
        Setting(
            "limits.publishLevels",
            .integer(0...200),
            .integer(12),
            unit: "levels",
            "Levels of a message's topic, with a root of two; 0: any number."
        ),
        Setting(
            "limits.correlationBytes",
            .integer(0...65_535),
            .integer(128),
            unit: "bytes",
            "MQTT 5 Correlation Data of a request, which is kept with its answer; 0: any length."
        ),
        Setting(
            "limits.responseTopicBytes",
            .integer(0...65_535),
            .integer(256),
            unit: "bytes",
            "MQTT 5 Response Topic of a request; a longer one is ignored. 0: any length."
        ),
    ]

    private static let patience: [Setting] = [
        Setting(
            "limits.tooFastSeconds",
            .integer(0...3600),
            .integer(10),
            unit: "s",
            "Time of sending too fast after which a connection is closed, each quiet second taking one back; 0: never."
        ),
        Setting(
            "limits.tooFastPause",
            .integer(0...3600),
            .integer(60),
            unit: "s",
            "Time for which its client id is refused, twice as long each time, an hour at most; 0: not at all."
        ),
        Setting(
            "limits.tooFastClosings",
            .integer(0...100_000),
            .integer(10),
            unit: "1/h",
            "Connections closed so within an hour, after which their source address is refused likewise; 0: never."
        ),
        Setting(
            "limits.statusBacklog",
            .integer(0...1_000_000),
            .integer(2_000),
            unit: "reports",
            "Reports waiting for the status worker, from which on a device has only its share there; 0: any number."
        ),
    ]
}
