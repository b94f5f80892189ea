/// An option of the gate that sets a limit: its name after `plugin_opt_` in the broker's
/// configuration.
package enum GateOption: String, Sendable, CaseIterable {
    case newClientsPerMinute = "new_clients_per_minute"
    case terminalMessagesPerSecond = "terminal_messages_per_second"
    case terminalMessageBurst = "terminal_message_burst"
    case terminalBytesPerSecond = "terminal_bytes_per_second"
    case terminalByteBurst = "terminal_byte_burst"
    case deviceMessagesPerSecond = "device_messages_per_second"
    case deviceMessageBurst = "device_message_burst"
    case deviceBytesPerSecond = "device_bytes_per_second"
    case deviceByteBurst = "device_byte_burst"
    case productMessagesPerSecond = "product_messages_per_second"
    case productMessageBurst = "product_message_burst"
    case productBytesPerSecond = "product_bytes_per_second"
    case productByteBurst = "product_byte_burst"
    case serviceMessagesPerSecond = "service_messages_per_second"
    case serviceMessageBurst = "service_message_burst"
    case serviceBytesPerSecond = "service_bytes_per_second"
    case serviceByteBurst = "service_byte_burst"
    case addressMessagesPerSecond = "address_messages_per_second"
    case addressMessageBurst = "address_message_burst"
    case terminalSubscriptions = "terminal_subscriptions"
    case subscriptionLevels = "subscription_levels"
    case publishLevels = "publish_levels"
    case correlationBytes = "correlation_bytes"
    case responseTopicBytes = "response_topic_bytes"
    case tooFastSeconds = "too_fast_seconds"
    case tooFastPause = "too_fast_pause"
    case tooFastClosings = "too_fast_closings"
    case statusBacklog = "status_backlog"
    case requestBacklog = "request_backlog"
    case terminalHeldBytes = "terminal_held_bytes"
    case terminalHeldMessages = "terminal_held_messages"
    case deviceHeldBytes = "device_held_bytes"
    case deviceHeldMessages = "device_held_messages"
    case tooSlowSeconds = "too_slow_seconds"
    case connectSeconds = "connect_seconds"
    case heldBytes = "held_bytes"
    case terminalSessionSeconds = "terminal_session_seconds"
    case newcomersPerSecond = "newcomers_per_second"

    /// The limit that it sets.
    package var limit: WritableKeyPath<GateLimits, Int> {
        switch self {
        case .newClientsPerMinute: \.newClientsPerMinute
        case .terminalMessagesPerSecond: \.terminal.messagesPerSecond
        case .terminalMessageBurst: \.terminal.messageBurst
        case .terminalBytesPerSecond: \.terminal.bytesPerSecond
        case .terminalByteBurst: \.terminal.byteBurst
        case .deviceMessagesPerSecond: \.device.messagesPerSecond
        case .deviceMessageBurst: \.device.messageBurst
        case .deviceBytesPerSecond: \.device.bytesPerSecond
        case .deviceByteBurst: \.device.byteBurst
        case .productMessagesPerSecond: \.product.messagesPerSecond
        case .productMessageBurst: \.product.messageBurst
        case .productBytesPerSecond: \.product.bytesPerSecond
        case .productByteBurst: \.product.byteBurst
        case .serviceMessagesPerSecond: \.service.messagesPerSecond
        case .serviceMessageBurst: \.service.messageBurst
        case .serviceBytesPerSecond: \.service.bytesPerSecond
        case .serviceByteBurst: \.service.byteBurst
        case .addressMessagesPerSecond: \.addressMessagesPerSecond
        case .addressMessageBurst: \.addressMessageBurst
        case .terminalSubscriptions: \.terminalSubscriptions
        case .subscriptionLevels: \.subscriptionLevels
        case .publishLevels: \.publishLevels
        case .correlationBytes: \.correlationBytes
        case .responseTopicBytes: \.responseTopicBytes
        case .tooFastSeconds: \.tooFastSeconds
        case .tooFastPause: \.tooFastPause
        case .tooFastClosings: \.tooFastClosings
        case .statusBacklog: \.statusBacklog
        case .requestBacklog: \.requestBacklog
        case .terminalHeldBytes: \.terminalHeldBytes
        case .terminalHeldMessages: \.terminalHeldMessages
        case .deviceHeldBytes: \.deviceHeldBytes
        case .deviceHeldMessages: \.deviceHeldMessages
        case .tooSlowSeconds: \.tooSlowSeconds
        case .connectSeconds: \.connectSeconds
        case .heldBytes: \.heldBytes
        case .terminalSessionSeconds: \.terminalSessionSeconds
        case .newcomersPerSecond: \.newcomersPerSecond
        }
    }

    /// The largest number that it accepts.
    ///
    /// The largest of the service's settings, a million KiB, is a little more than a thousand million bytes.
    package var numberMax: Int {
        switch self {
        case .newClientsPerMinute: 1_000_000
        // More than the largest memory that the broker may have.
        case .heldBytes: 1 << 40
        default: 2_000_000_000
        }
    }
}
