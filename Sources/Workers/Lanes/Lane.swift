package import Batching
package import Domain

/// A part of a worker's messages, with its own thread, MQTT session, database connection and lease.
package struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// The worker whose messages the lane handles.
    package let worker: WorkerName
    /// The shards whose messages the lane handles.
    package let shards: Shards

    /// Creates a lane.
    package init(_ worker: WorkerName, _ shards: Shards = .all) {
        self.worker = worker
        self.shards = shards
    }

    /// The lane's number, starting at 0.
    package var number: Int { shards.lane }

    /// The lane's name, such as `status`, or `status.07` if the worker has several lanes.
    package var name: String {
        guard !shards.areAll else { return worker.rawValue }
        return "\(worker.rawValue).\(number < 10 ? "0" : "")\(number)"
    }

    /// The client id of the lane's MQTT session.
    package var clientID: String { "svc.lamplighter.\(name)" }
    package var description: String { name }
}

extension WorkerName {
    /// The client id of the worker's MQTT session if one process does all the work.
    package var clientID: String { Lane(self).clientID }
}

/// The number of lanes of each worker.
package struct LanePlan: Sendable, Equatable {
    private let counts: [WorkerName: Int]
    /// Whether several processes share the work; if they do, clients' topics begin with the shard.
    package let isShared: Bool

    /// The plan of a single process that does all the work.
    package static let alone = LanePlan(counts: [:], isShared: false)
    /// The plan for several processes.
    ///
    /// There are enough status lanes for 16 processes with two lanes each. The workers that carry out requests have
    /// several lanes too, because each request has its own transaction.
    package static let shared = LanePlan(counts: [.status: 32, .control: 8, .account: 4, .schedule: 2], isShared: true)

    /// Returns the number of a worker's lanes.
    package func count(of worker: WorkerName) -> Int { counts[worker] ?? 1 }

    /// Returns a worker's lanes, in order.
    package func lanes(of worker: WorkerName) -> [Lane] { (0..<count(of: worker)).map { lane(of: worker, number: $0) } }

    /// Returns a worker's lane by its number.
    package func lane(of worker: WorkerName, number: Int) -> Lane {
        Lane(worker, Shards(lane: number, of: count(of: worker)))
    }

    /// Returns the worker's lane that handles the messages for an id, such as a device's id.
    package func lane(of worker: WorkerName, for id: String) -> Lane {
        lane(of: worker, number: Int(Shard.of(id.utf8)) % count(of: worker))
    }
}
