/// The settings that switch off the limits against an attack, and the reasons why some attacks have none.
extension AbuseAttack {
    /// Lets terminals send and subscribe without limits.
    static let terminalOff = [
        "limits.terminalMessagesPerSecond=0", "limits.terminalKilobytesPerSecond=0",
        "limits.terminalSubscriptions=0", "limits.subscriptionLevels=0",
        "limits.correlationBytes=0", "limits.addressMessagesPerSecond=0",
    ]
    /// Readmits at once clients that were closed for sending too fast.
    static let pauseOff = ["limits.tooFastPause=0", "limits.tooFastClosings=0"]
    /// Lets devices send without limits; also for `bench overload`.
    static let deviceOff = [
        "limits.deviceMessagesPerSecond=0", "limits.deviceKilobytesPerSecond=0",
    ]
    /// Lets terminals and source addresses request codes, users and hashes without limits.
    static let countsOff = [
        "codesPerTerminal", "codesPerSource", "anonymousPerTerminal", "anonymousPerSource",
        "namedPerTerminal", "namedPerSource", "sessionsPerTerminal", "hashesPerTerminal",
        "hashesAtOnce", "hashesAtOncePerSource",
    ].map { "limits.\($0)=1000000" }
    /// Lets products' connections register devices without limits.
    static let productOff = [
        "limits.productMessagesPerSecond=0", "limits.productKilobytesPerSecond=0",
        "limits.addressMessagesPerSecond=0",
        "broker.newClientsPerMinute=1000000", "limits.registrationsPerSource=1000000",
        "limits.registrationsPerProduct=1000000",
    ]

    static let keepsToLimits =
        "Each of its terminals keeps to every limit; the turns that senders take keep others from harm, "
        + "and no setting ends those."
    static let takesTurns =
        "It waits for its answers, so even without limits its requests stand behind its own: the turns "
        + "that senders take keep others from harm, and no setting ends those."
    static let connectsOnly =
        "What it costs is a connection, which the broker takes up in turn; no message reaches a worker."
    static let brokerOnly =
        "The broker answers it alone, one packet of each connection in turn; nothing reaches a worker."
}
