/// The service process's limits, which no setting changes; the workers' limits are in `Limits`.
enum ServiceLimits {
    /// The longest time that a stopping service can take to finish its work.
    static let drainMax: Duration = .seconds(5)

    /// The interval between checks of the certificate files.
    static let certificateInterval: Duration = .seconds(2)

    // MARK: The broker of `up`

    /// The longest time from the broker's start until it accepts connections.
    static let brokerStartMax: Duration = .seconds(10)
    /// The time after SIGTERM at which a killed service's broker gets SIGKILL if it is still running.
    static let orphanEndMax: Duration = .seconds(3)
    /// The size in bytes above which the broker's log is copied and truncated.
    static let brokerLogBytesMax = 8 << 20
    /// The size in bytes above which a starting broker's log is copied and truncated.
    static let brokerLogBytesAtStartMax = 1 << 20
    /// The interval between checks of the broker's log.
    static let brokerLogInterval: Duration = .seconds(60)
    /// The maximum number of a client's unconfirmed messages: at least a worker's largest receive window.
    static let inFlightMessagesMax = 20_000
    /// The longest keep-alive of a client, in seconds.
    static let keepAliveSecondsMax = 600

    // MARK: Probes of `doctor`

    /// The longest wait for a connection to the broker.
    static let probeConnectMax: Duration = .seconds(3)
    /// The longest wait for an answer of the broker or of the service.
    static let probeAnswerMax: Duration = .seconds(2)
    /// The longest wait for an answer, so that `doctor --quick` ends within a second.
    static let quickAnswerMax: Duration = .milliseconds(800)

    // MARK: Reports to systemd

    /// The longest pause after which a started service checks again whether to report something to systemd.
    static let reportInterval: Duration = .seconds(1)
    /// The interval at which a starting service checks whether there is something to report to systemd.
    static let startReportInterval: Duration = .milliseconds(50)
    /// The interval at which a service that takes long to start asks systemd for more time.
    static let startExtensionInterval: Duration = .seconds(10)
}
