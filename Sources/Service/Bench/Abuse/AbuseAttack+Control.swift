/// What switches the limits off that stop an attack, and why some attacks have nothing of the kind.
extension AbuseAttack {
    /// What lets terminals send and subscribe as much as they can.
    static let terminalOff = [
        "limits.terminalMessagesPerSecond=0", "limits.terminalKilobytesPerSecond=0",
        "limits.terminalSubscriptions=0", "limits.subscriptionLevels=0",
        "limits.correlationBytes=0", "limits.addressMessagesPerSecond=0",
    ]
    /// What lets those in again at once that were closed for sending too fast.
    static let pauseOff = ["limits.tooFastPause=0", "limits.tooFastClosings=0"]
    /// What lets devices send as much as they can; also for `bench overload`.
    static let deviceOff = [
        "limits.deviceMessagesPerSecond=0", "limits.deviceKilobytesPerSecond=0",
    ]
    /// What lets terminals and source addresses have as many codes, users and hashes as they can.
    static let countsOff = [
        "codesPerTerminal", "codesPerSource", "anonymousPerTerminal", "anonymousPerSource",
        "namedPerTerminal", "namedPerSource", "sessionsPerTerminal", "hashesPerTerminal",
        "hashesAtOnce", "hashesAtOncePerSource",
    ].map { "limits.\($0)=1000000" }
    /// What lets products' connections register as many devices as they can.
    static let productOff = [
        "limits.productMessagesPerSecond=0", "limits.productKilobytesPerSecond=0",
        "limits.addressMessagesPerSecond=0",
        "broker.newClientsPerMinute=1000000", "limits.registrationsPerSource=1000000",
        "limits.registrationsPerProduct=1000000",
    ]

    static let keepsToLimits =
        "Each of its terminals keeps to every limit; the turns that senders take keep others from harm, "
        + "and no setting ends those."
    static let connectsOnly =
        "What it costs is a connection, which the broker takes up in turn; no message reaches a worker."
    static let brokerOnly =
        "The broker answers it alone, one packet of each connection in turn; nothing reaches a worker."
}
