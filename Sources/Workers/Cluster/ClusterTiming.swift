/// The timing with which processes notice each other's absence.
package enum ClusterTiming {
    /// The time that a silent process is considered alive, by the database's clock.
    package static let lifetime = Duration.seconds(6)
    /// The interval at which a process renews its lifetime.
    package static let renewal = Duration.milliseconds(1_500)
    /// The time that a process works after a renewal, by its own clock: it stops before the others take its lanes.
    package static let trust = lifetime * 0.8
    /// The longest pause between two checks of the leases.
    package static let look = Duration.milliseconds(500)
    /// The time that a process keeps its lanes without hearing from the broker.
    package static let brokerPatience = Duration.seconds(5)
    /// The time that a lane has to finish its work when it is handed over; the next holder does the rest.
    package static let laneDrain = Duration.milliseconds(150)
    /// The time that a stopping process waits for its lanes before others may take them unfinished.
    package static let handOver = Duration.milliseconds(250)
}
