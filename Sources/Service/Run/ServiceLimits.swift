/// The limits of the service's own machinery, which no setting changes; the workers' limits are in `Limits`.
enum ServiceLimits {
    /// The longest drain when the service stops: everything that was acknowledged is committed by then.
    static let drainMax: Duration = .seconds(5)

    /// The interval between checks of the certificate files.
    static let certificateInterval: Duration = .seconds(2)

    // MARK: The broker of `up`

    /// The longest time until a started broker accepts connections.
    static let brokerStartMax: Duration = .seconds(10)
    /// The time that a killed service's broker has to end after SIGTERM.
    static let orphanEndMax: Duration = .seconds(3)
    /// The size in bytes above which the broker's log is copied to a second file and truncated.
    static let brokerLogBytesMax = 8 << 20
    /// The size in bytes above which the broker's log is copied and truncated when the broker starts, so that the
    /// start's lines are near the beginning.
    static let brokerLogBytesAtStartMax = 1 << 20
    /// The interval between checks of the broker's log.
    static let brokerLogInterval: Duration = .seconds(60)
    /// The maximum number of unconfirmed messages of a client: at least a worker's largest receive window.
    static let inFlightMessagesMax = 20_000
    /// The longest keep-alive of a client, in seconds.
    static let keepAliveSecondsMax = 600

    // MARK: Probes of `doctor`

    /// The longest wait for a connection to the broker.
    static let probeConnectMax: Duration = .seconds(3)
    /// The longest wait for an answer of the broker, or of the service.
    static let probeAnswerMax: Duration = .seconds(2)
    /// The longest wait of `doctor --quick` for an answer: it ends within a second, including the program's start.
    static let quickAnswerMax: Duration = .milliseconds(800)

    // MARK: Reports to systemd

    /// The longest interval between checks for reports, once the service has started.
    static let reportInterval: Duration = .seconds(1)
    /// The interval between checks for reports while the service starts.
    static let startReportInterval: Duration = .milliseconds(50)
    /// The interval at which a long start asks for more time.
    static let startExtensionInterval: Duration = .seconds(10)
}
