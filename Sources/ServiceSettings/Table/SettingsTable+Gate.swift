import Metering

/// The limits of one connection, which the gate counts.
extension SettingsTable {
    /// The gate's options under `up`; for `serve` they are in the broker's own configuration
    /// (deploy/mosquitto).
    ///
    /// The reasons for the defaults: a terminal that sends continuously costs at most the work of
    /// 20 transactions a second, of the some thousands that a machine does, so a hundred of them
    /// are only a nuisance. An app that opens with thirty devices sends a burst of 100; a device
    /// that was away sends a burst of 500. In bytes, the long-term rate is 11 GB a day for a
    /// terminal and 22 GB for a device; other limits bound the data that is kept.
    package static let gate: [GateSetting] =
        sender(
            "terminal",
            "an app's terminal",
            options: Sender(
                messages: .terminalMessagesPerSecond,
                messageBurst: .terminalMessageBurst,
                bytes: .terminalBytesPerSecond,
                byteBurst: .terminalByteBurst
            )
        )
        + sender(
            "device",
            "a device",
            options: Sender(
                messages: .deviceMessagesPerSecond,
                messageBurst: .deviceMessageBurst,
                bytes: .deviceBytesPerSecond,
                byteBurst: .deviceByteBurst
            )
        )
        + sender(
            "product",
            "a connection that registers a device",
            options: Sender(
                messages: .productMessagesPerSecond,
                messageBurst: .productMessageBurst,
                bytes: .productBytesPerSecond,
                byteBurst: .productByteBurst
            )
        )
        + sender(
            "service",
            "an operator's service, such as a gateway; never a worker",
            options: Sender(
                messages: .serviceMessagesPerSecond,
                messageBurst: .serviceMessageBurst,
                bytes: .serviceBytesPerSecond,
                byteBurst: .serviceByteBurst
            )
        )
        + address + forms + patience + held

    /// The four options of one kind of sender.
    private struct Sender {
        let messages: GateOption
        let messageBurst: GateOption
        let bytes: GateOption
        let byteBurst: GateOption
    }

    private static func sender(_ key: String, _ who: String, options: Sender) -> [GateSetting] {
        [
            GateSetting(
                options.messages,
                key: "limits.\(key)MessagesPerSecond",
                in: 0...1_000_000,
                unit: "1/s"
            )
            .effect("Messages that \(who) may send on average; 0: any number."),
            GateSetting(
                options.messageBurst,
                key: "limits.\(key)MessageBurst",
                in: 0...1_000_000,
                unit: "messages"
            )
            .effect("Messages that it may send in a burst; 0: as many as in one second."),
            GateSetting(
                options.bytes,
                key: "limits.\(key)KilobytesPerSecond",
                times: 1_024,
                in: 0...1_000_000,
                unit: "KiB/s"
            )
            .effect(
                "Bytes of topics, payloads and properties that \(who) may send; 0: any number."
            ),
            GateSetting(
                options.byteBurst,
                key: "limits.\(key)KilobyteBurst",
                times: 1_024,
                in: 0...1_000_000,
                unit: "KiB"
            )
            .effect(
                "Bytes that it may send in a burst; a larger message is always refused. 0: as many as in one second."
            ),
        ]
    }

    private static let address: [GateSetting] = [
        GateSetting(
            .addressMessagesPerSecond,
            key: "limits.addressMessagesPerSecond",
            in: 0...1_000_000,
            unit: "1/s"
        )
        .effect(
            "Messages of all terminals and registering devices of one source address; beyond it, only those that send seldom are served. Not for 127.0.0.1 and ::1; raise it, or set 0 (any number), where clients come through a proxy on another machine."
        ),
        GateSetting(
            .addressMessageBurst,
            key: "limits.addressMessageBurst",
            in: 0...1_000_000,
            unit: "messages"
        )
        .effect("Messages that these may send in a burst; 0: as many as in one second."),
    ]

    private static let forms: [GateSetting] = [
        GateSetting(
            .terminalSubscriptions,
            key: "limits.terminalSubscriptions",
            in: 0...100_000,
            unit: "filters"
        )
        .effect("Subscriptions that a terminal may hold; 0: any number."),
        GateSetting(
            .subscriptionLevels,
            key: "limits.subscriptionLevels",
            in: 0...200,
            unit: "levels"
        )
        .effect(
            "Levels of a terminal's filter, which must have a granted form, with a root of two levels; 0: any form."
        ),
        GateSetting(.publishLevels, key: "limits.publishLevels", in: 0...200, unit: "levels")
            .effect("Levels of a message's topic, with a root of two levels; 0: any number."),
        GateSetting(
            .correlationBytes,
            key: "limits.correlationBytes",
            in: 0...65_535,
            unit: "bytes"
        )
        .effect(
            "Length of a request's MQTT 5 Correlation Data, which is kept with its answer; 0: any length."
        ),
        GateSetting(
            .responseTopicBytes,
            key: "limits.responseTopicBytes",
            in: 0...65_535,
            unit: "bytes"
        )
        .effect(
            "Length of a request's MQTT 5 Response Topic; a longer one is ignored. 0: any length."
        ),
    ]

    /// The limits of messages that the broker keeps, since rates limit only incoming messages.
    ///
    /// The reasons for the defaults: 4 MiB are sixty answers of the largest size, or the events of
    /// a large home at a thousand messages an hour; a phone that was away gets the newest status of
    /// each device in any case.
    private static let held: [GateSetting] = [
        GateSetting(
            .terminalHeldBytes,
            key: "limits.terminalHeldKilobytes",
            times: 1_024,
            in: 0...1_000_000,
            unit: "KiB"
        )
        .effect(
            "Messages that wait or are unacknowledged for a terminal; statuses take three quarters at most. 0: any size."
        ),
        GateSetting(
            .terminalHeldMessages,
            key: "limits.terminalHeldMessages",
            in: 0...1_000_000,
            unit: "messages"
        )
        .effect("The number of these messages; 0: any number."),
        GateSetting(
            .deviceHeldBytes,
            key: "limits.deviceHeldKilobytes",
            times: 1_024,
            in: 0...1_000_000,
            unit: "KiB"
        )
        .effect("Messages that wait or are unacknowledged for a device; 0: any size."),
        GateSetting(
            .deviceHeldMessages,
            key: "limits.deviceHeldMessages",
            in: 0...1_000_000,
            unit: "messages"
        )
        .effect("The number of these messages; 0: any number."),
        GateSetting(.tooSlowSeconds, key: "limits.tooSlowSeconds", in: 0...86_400, unit: "s")
            .effect(
                "Time after which a client is disconnected that acknowledges nothing and therefore can be sent nothing more; 0: never."
            ),
        GateSetting(.connectSeconds, key: "limits.connectSeconds", in: 0...3_600, unit: "s")
            .effect(
                "Time within which a new connection has to send its CONNECT, TLS handshake included; less while memory is full. 0: any time."
            ),
        GateSetting(
            .terminalSessionSeconds,
            key: "limits.terminalSessionSeconds",
            in: 0...604_800,
            unit: "s"
        )
        .effect(
            "Time for which the broker keeps a terminal's MQTT session after its connection; 0: as long as the terminal requests, a week at most."
        ),
        GateSetting(
            .newcomersPerSecond,
            key: "limits.newcomersPerSecond",
            in: 0...1_000_000,
            unit: "1/s"
        )
        .effect(
            "New client ids of apps and products that the gate admits from all source addresses together, 127.0.0.1 included; 0: any number."
        ),
    ]

    private static let patience: [GateSetting] = [
        GateSetting(.tooFastSeconds, key: "limits.tooFastSeconds", in: 0...3600, unit: "s")
            .effect(
                "Time of sending too fast after which a connection is closed; each quiet second takes one off. 0: never."
            ),
        GateSetting(.tooFastPause, key: "limits.tooFastPause", in: 0...3600, unit: "s")
            .effect(
                "Time for which its client id is then refused, doubled each time up to an hour; 0: not at all."
            ),
        GateSetting(.tooFastClosings, key: "limits.tooFastClosings", in: 0...100_000, unit: "1/h")
            .effect(
                "Connections closed for this within an hour, after which their source address is refused likewise; 0: never."
            ),
        GateSetting(.statusBacklog, key: "limits.statusBacklog", in: 0...1_000_000, unit: "reports")
            .effect(
                "Reports waiting for the status worker, or one of its lanes, beyond which a device gets only its share; 0: any number."
            ),
        GateSetting(
            .requestBacklog,
            key: "limits.requestBacklog",
            in: 0...1_000_000,
            unit: "requests"
        )
        .effect(
            "Requests waiting for a worker, each KiB counted as one, beyond which a terminal gets only its share; 0: any number."
        ),
    ]
}
