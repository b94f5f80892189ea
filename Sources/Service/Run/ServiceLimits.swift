/// The service process's limits, which no setting changes; the workers' limits are in `Limits`.
enum ServiceLimits {
    /// The longest time that a stopping service can take to finish its work.
    static let drainMax: Duration = .seconds(5)

    /// The interval between checks of the certificate files.
    static let certificateInterval: Duration = .seconds(2)

    // MARK: The broker of `up`

    /// The longest time from the broker's start until it accepts connections.
    static let brokerStartMax: Duration = .seconds(10)
    /// The longest time that a killed service's broker may run after SIGTERM; after this time, it receives SIGKILL.
    static let orphanEndMax: Duration = .seconds(3)
    /// The size in bytes above which the broker's log is copied and truncated.
    static let brokerLogBytesMax = 8 << 20
    /// The size in bytes above which a starting broker's log is copied and truncated.
    static let brokerLogBytesAtStartMax = 1 << 20
    /// The interval between checks of the broker's log.
    static let brokerLogInterval: Duration = .seconds(60)
    /// The maximum number of messages that the broker has sent to a client and that the client hasn't confirmed yet.
    ///
    /// The number is at least as large as the largest receive window that a worker can have.
    static let inFlightMessagesMax = 20_000
    /// The longest keep-alive of a client, in seconds.
    static let keepAliveSecondsMax = 600

    // MARK: Probes of `doctor`

    /// The longest wait for a connection to the broker.
    static let probeConnectMax: Duration = .seconds(3)
    /// The longest wait for an answer of the broker or of the service.
    static let probeAnswerMax: Duration = .seconds(2)
    /// The longest wait of `doctor --quick` for an answer of the service; the command must end within a second.
    static let quickAnswerMax: Duration = .milliseconds(800)

    // MARK: Reports to systemd

    /// The longest interval between two checks for something to report to systemd, after the service has started.
    static let reportInterval: Duration = .seconds(1)
    /// The interval at which a starting service checks whether there is something to report to systemd.
    static let startReportInterval: Duration = .milliseconds(50)
    /// The interval at which a service that takes long to start asks systemd for more time.
    static let startExtensionInterval: Duration = .seconds(10)
}
