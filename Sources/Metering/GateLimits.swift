/// The limits that the gate sets on clients, with their defaults; 0 switches a limit off.
///
/// Shared by the gate, whose options set them, and the service, whose settings write these options.
package struct GateLimits: Sendable, Equatable {
    /// An app's terminal: twenty requests a second exceed the taps of a user; an app that opens with thirty devices
    /// sends a hundred at once.
    package var terminal = Allowance(
        messagesPerSecond: 20,
        messageBurst: 100,
        bytesPerSecond: 128 << 10,
        byteBurst: 1 << 20
    )
    /// A device: five hundred messages at once are the reports that it stored while it was offline.
    package var device = Allowance(
        messagesPerSecond: 50,
        messageBurst: 500,
        bytesPerSecond: 256 << 10,
        byteBurst: 2 << 20
    )
    /// A device that registers: the burst takes one message of the largest size, including topic and properties.
    package var product = Allowance(
        messagesPerSecond: 5,
        messageBurst: 20,
        bytesPerSecond: 64 << 10,
        byteBurst: 512 << 10
    )
    /// An operator's service; the workers are never counted.
    package var service = Allowance.unlimited
    /// Messages a second of all terminals and products behind one source address: ten apps at their own limit, or two
    /// hundred in use.
    ///
    /// Beyond it, terminals that send seldom are still served (`AddressBudget`).
    package var addressMessagesPerSecond = 200
    /// The same at once: two hundred apps that open with a few devices.
    package var addressMessageBurst = 2_000
    /// Subscriptions that a terminal holds.
    package var terminalSubscriptions = 64
    /// Levels of a filter, with a root of two.
    package var subscriptionLevels = 8
    /// Levels of a message's topic, with a root of two; not for services.
    package var publishLevels = 12
    /// Bytes of MQTT 5 Correlation Data that reach a worker.
    package var correlationBytes = 128
    /// Bytes of an MQTT 5 Response Topic that reach a worker.
    package var responseTopicBytes = 256
    /// Seconds of sending too fast after which a connection is closed.
    package var tooFastSeconds = 10
    /// Seconds for which its client id is refused the first time.
    package var tooFastPause = 60
    /// Connections closed within an hour, after which their source address is refused likewise.
    package var tooFastClosings = 10
    /// Unprocessed reports at the status worker, beyond which each device is held to its share.
    package var statusBacklog = 2_000
    /// Unprocessed requests at a worker, beyond which each terminal is held to its share; one for each KiB.
    package var requestBacklog = 20_000
    /// Bytes that may wait, or be unacknowledged, for a terminal: statuses take at most three
    /// quarters.
    package var terminalHeldBytes = 4 << 20
    /// Messages likewise.
    package var terminalHeldMessages = 1_000
    /// The same for a device, or a product's connection.
    package var deviceHeldBytes = 1 << 20
    /// Messages likewise.
    package var deviceHeldMessages = 200
    /// Seconds without an acknowledgement, while no more may be sent, after which a client is disconnected.
    package var tooSlowSeconds = 60
    /// Seconds in which a new connection has to send its CONNECT.
    package var connectSeconds = 30
    /// Bytes that the broker holds for all products, devices and apps together: a quarter of its memory.
    package var heldBytes = 512 << 20
    /// Seconds that a terminal's session outlives its connection.
    package var terminalSessionSeconds = 3_600
    /// Newcomers a second from all source addresses together.
    package var newcomersPerSecond = 200
    /// New client ids, of apps and products, a minute from one source address.
    package var newClientsPerMinute = 30

    /// Uses the default limits.
    package init() {}
}
