/// The times and intervals by which processes detect that another process is gone.
package enum ClusterTiming {
    /// The time for which a process is considered alive after a renewal, by the database's clock.
    package static let lifetime = Duration.seconds(6)
    /// The interval at which a process renews its lifetime.
    package static let renewal = Duration.milliseconds(1_500)
    /// The time for which a process works after a renewal, by its own clock; the process stops before others take its
    /// lanes.
    package static let trust = lifetime * 0.8
    /// The longest pause between two checks of the leases.
    package static let look = Duration.milliseconds(500)
    /// The time for which a process keeps its lanes without receiving anything from the broker.
    package static let brokerPatience = Duration.seconds(5)
    /// The time in which a lane that is handed over can finish its work; the lane's next holder does the rest.
    package static let laneDrain = Duration.milliseconds(150)
    /// The time for which a stopping process waits until its lanes finish their work; then it gives back unfinished
    /// lanes.
    package static let handOver = Duration.milliseconds(250)
}
