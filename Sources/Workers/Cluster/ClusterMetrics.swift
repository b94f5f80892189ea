import Domain
import Metrics

/// The metrics of a process that shares the work with other processes.
package final class ClusterMetrics: Sendable {
    private let processes = Gauge(label: "lamplighter_cluster_processes")
    private let takenLanes = Counter(label: "lamplighter_lanes_taken_total")
    private let lostLanes = Counter(label: "lamplighter_lanes_lost_total")
    private let lanes: [WorkerName: Gauge]

    /// Makes the metrics, with a gauge for each worker.
    init() {
        lanes = Dictionary(
            uniqueKeysWithValues: WorkerName.allCases.map { worker in
                let labels = [("worker", worker.rawValue)]
                return (worker, Gauge(label: "lamplighter_lanes_held", dimensions: labels))
            }
        )
    }

    /// Records the number of living processes that take lanes.
    func lives(_ count: Int) { processes.record(count) }

    /// Counts a lane that this process has taken.
    func taken() { takenLanes.increment() }

    /// Counts a lane that another process has taken from this process.
    func lost() { lostLanes.increment() }

    /// Records, for each worker, the number of lanes that this process holds.
    func holds(_ workers: some Sequence<WorkerName>) {
        var counts: [WorkerName: Int] = [:]
        for worker in workers { counts[worker, default: 0] += 1 }
        for (worker, gauge) in lanes { gauge.record(counts[worker] ?? 0) }
    }
}
