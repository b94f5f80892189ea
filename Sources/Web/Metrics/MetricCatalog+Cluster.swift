extension MetricCatalog {
    /// The metrics of the work's distribution over several processes.
    static let cluster: [Entry] = [
        Entry(
            "lamplighter_cluster_processes",
            .gauge,
            "Processes that share the work, as this one sees it."
        ),
        Entry("lamplighter_lanes_held", .gauge, "Lanes of a worker that this process has."),
        Entry("lamplighter_lanes_taken_total", .counter, "Lanes that this process has taken."),
        Entry(
            "lamplighter_lanes_lost_total",
            .counter,
            "Lanes that another process took from this one, since it seemed to be gone."
        ),
    ]
}
