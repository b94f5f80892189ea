/// The times and intervals by which processes detect that another process is gone.
package enum ClusterTiming {
    /// The time after a renewal during which a process counts as alive, by the database's clock.
    package static let lifetime = Duration.seconds(6)
    /// The interval at which a process renews its lifetime.
    package static let renewal = Duration.milliseconds(1_500)
    /// How long a process continues to work after a renewal.
    ///
    /// This time is shorter than `lifetime`. If a process can't renew its lifetime, the process therefore stops working
    /// before other processes take its lanes.
    package static let trust = lifetime * 0.8
    /// The longest pause between two checks of the leases.
    package static let look = Duration.milliseconds(500)
    /// How long a process keeps its lanes while it receives nothing from the broker.
    package static let brokerPatience = Duration.seconds(5)
    /// How long a lane may still work during a handover.
    ///
    /// No other process serves the lane until the handover is complete.
    package static let laneDrain = Duration.milliseconds(150)
    /// How long a stopping process waits for unfinished lanes before it gives them back.
    package static let handOver = Duration.milliseconds(250)
}
