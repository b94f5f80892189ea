/// The limits of the service's own machinery, which no setting changes; those of the workers are in `Limits`.
enum ServiceLimits {
    /// The longest drain when the service stops: everything that was acknowledged is committed by then.
    static let drainMax: Duration = .seconds(5)

    /// The interval between two looks at the files of certificates.
    static let certificateInterval: Duration = .seconds(2)

    // MARK: The broker of `up`

    /// The longest time until a started broker accepts connections.
    static let brokerStartMax: Duration = .seconds(10)
    /// The longest time in which a broker of a killed service may end by itself.
    static let orphanEndMax: Duration = .seconds(3)
    /// Bytes after which the broker's log is renamed, and another begun; two files are kept.
    static let brokerLogBytesMax = 8 << 20
    /// The same when the broker starts, so that its first lines are near the beginning.
    static let brokerLogBytesAtStartMax = 1 << 20
    /// The interval between two looks at the broker's log.
    static let brokerLogInterval: Duration = .seconds(60)
    /// Unconfirmed messages of one client: no fewer than a worker's receive window may be.
    static let inFlightMessagesMax = 20_000
    /// The longest keep-alive of a client, in seconds.
    static let keepAliveSecondsMax = 600

    // MARK: Probes of `doctor`

    /// The longest wait for a connection to the broker.
    static let probeConnectMax: Duration = .seconds(3)
    /// The longest wait for an answer of the broker, or of the service.
    static let probeAnswerMax: Duration = .seconds(2)
    /// The same for `doctor --quick`, which with the start of the program ends within a second.
    static let quickAnswerMax: Duration = .milliseconds(800)

    // MARK: Reports to systemd

    /// The longest time between two looks at what is to be reported, once the service has started.
    static let reportInterval: Duration = .seconds(1)
    /// The same while it starts.
    static let startReportInterval: Duration = .milliseconds(50)
    /// The interval at which a long start asks for more time.
    static let startExtensionInterval: Duration = .seconds(10)
}
