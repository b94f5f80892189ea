/// How fast processes notice each other's absence.
package enum ClusterTiming {
    /// How long a process that says nothing more is taken for alive, by the database's clock.
    package static let lifetime = Duration.seconds(6)
    /// How often a process says that it is alive.
    package static let renewal = Duration.milliseconds(1_500)
    /// How long a process works after it said so, by its own clock: it stops before the others take its lanes.
    package static let trust = lifetime * 0.8
    /// The longest pause between two looks at who holds which lane.
    package static let look = Duration.milliseconds(500)
    /// How long a process keeps its lanes without hearing from the broker.
    package static let brokerPatience = Duration.seconds(5)
    /// How long a lane that is handed over finishes what it began; the next holder does the rest.
    package static let laneDrain = Duration.milliseconds(150)
    /// How long a process that stops waits for its lanes before others may take them as they are.
    package static let handOver = Duration.milliseconds(250)
}
