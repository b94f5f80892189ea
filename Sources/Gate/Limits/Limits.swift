import Metering

/// The limits of clients, as the plugin's options set them; 0 switches a limit off.
struct Limits: Equatable {
    /// An app's terminal: twenty requests a second exceed the taps of a user; an app that opens with thirty devices
    /// sends a hundred at once.
    var terminal = Allowance(
        messagesPerSecond: 20,
        messageBurst: 100,
        bytesPerSecond: 128 << 10,
        byteBurst: 1 << 20
    )
    /// A device: five hundred messages at once are the reports that it stored while it was offline.
    var device = Allowance(
        messagesPerSecond: 50,
        messageBurst: 500,
        bytesPerSecond: 256 << 10,
        byteBurst: 2 << 20
    )
    /// A device that registers: the burst takes one message of the largest size, including topic and properties.
    var product = Allowance(
        messagesPerSecond: 5,
        messageBurst: 20,
        bytesPerSecond: 64 << 10,
        byteBurst: 512 << 10
    )
    /// An operator's service; the workers are never counted.
    var service = Allowance.unlimited
    /// Messages a second of all terminals and products behind one source address: ten apps at their own limit, or two
    /// hundred in use.
    ///
    /// Beyond it those that send seldom are still served (`AddressBudget`).
    var addressMessagesPerSecond = 200
    /// The same at once: two hundred apps that open with a few devices.
    var addressMessageBurst = 2_000
    /// Subscriptions that a terminal holds.
    var terminalSubscriptions = 64
    /// Levels of a filter, with a root of two.
    var subscriptionLevels = 8
    /// Levels of a message's topic, with a root of two; not for services.
    var publishLevels = 12
    /// Bytes of MQTT 5 Correlation Data that reach a worker.
    var correlationBytes = 128
    /// Bytes of an MQTT 5 Response Topic that reach a worker.
    var responseTopicBytes = 256
    /// Seconds of sending too fast after which a connection is closed.
    var tooFastSeconds = 10
    /// Seconds for which its client id is refused the first time.
    var tooFastPause = 60
    /// Connections closed within an hour, after which their source address is refused likewise.
    var tooFastClosings = 10
    /// Unprocessed reports at the status worker, beyond which each device is held to its share.
    var statusBacklog = 2_000

    /// The options of the broker's configuration, without `plugin_opt_`.
    static var keys: [String: WritableKeyPath<Limits, Int>] {
        [
            "terminal_messages_per_second": \.terminal.messagesPerSecond,
            "terminal_message_burst": \.terminal.messageBurst,
            "terminal_bytes_per_second": \.terminal.bytesPerSecond,
            "terminal_byte_burst": \.terminal.byteBurst,
            "device_messages_per_second": \.device.messagesPerSecond,
            "device_message_burst": \.device.messageBurst,
            "device_bytes_per_second": \.device.bytesPerSecond,
            "device_byte_burst": \.device.byteBurst,
            "product_messages_per_second": \.product.messagesPerSecond,
            "product_message_burst": \.product.messageBurst,
            "product_bytes_per_second": \.product.bytesPerSecond,
            "product_byte_burst": \.product.byteBurst,
            "service_messages_per_second": \.service.messagesPerSecond,
            "service_message_burst": \.service.messageBurst,
            "service_bytes_per_second": \.service.bytesPerSecond,
            "service_byte_burst": \.service.byteBurst,
            "address_messages_per_second": \.addressMessagesPerSecond,
            "address_message_burst": \.addressMessageBurst,
            "terminal_subscriptions": \.terminalSubscriptions,
            "subscription_levels": \.subscriptionLevels,
            "publish_levels": \.publishLevels,
            "correlation_bytes": \.correlationBytes,
            "response_topic_bytes": \.responseTopicBytes,
            "too_fast_seconds": \.tooFastSeconds,
            "too_fast_pause": \.tooFastPause,
            "too_fast_closings": \.tooFastClosings,
            "status_backlog": \.statusBacklog,
        ]
    }

    /// Returns the allowance of a principal; nil for one that is never counted.
    func allowance(of principal: Principal) -> Allowance? {
        switch principal {
        case .terminal: terminal
        case .device: device
        case .product: product
        case .service(let name): name == Admission.workerName ? nil : service
        }
    }
}

extension Principal {
    /// Whether its messages count against its source address.
    ///
    /// Those of a device with its own secret do not: hundreds of them stand behind one gateway or router.
    var isCountedByAddress: Bool {
        switch self {
        case .terminal, .product: true
        case .device, .service: false
        }
    }
}
