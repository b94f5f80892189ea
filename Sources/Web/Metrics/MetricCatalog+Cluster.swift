extension MetricCatalog {
    /// The metrics of the work's distribution over several processes.
    static let cluster: [Entry] = [
        Entry(
            "lamplighter_cluster_processes",
            .gauge,
            "Processes that share the work, as seen by this process."
        ),
        Entry("lamplighter_lanes_held", .gauge, "Lanes of a worker that this process holds."),
        Entry("lamplighter_lanes_taken_total", .counter, "Lanes that this process has taken."),
        Entry(
            "lamplighter_lanes_lost_total",
            .counter,
            "Lanes that another process took from this one because it seemed to be gone."
        ),
    ]
}
