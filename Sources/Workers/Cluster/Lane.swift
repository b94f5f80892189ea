package import Batching
package import Domain

/// A part of a worker's messages: one thread, one session at the broker, one connection to the database, one lease.
///
/// Where one process does all the work, each worker has one lane, which is all of it.
package struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// The worker.
    package let worker: WorkerName
    /// Whose messages it takes.
    package let shards: Shards

    /// Names a lane.
    package init(_ worker: WorkerName, _ shards: Shards = .all) {
        self.worker = worker
        self.shards = shards
    }

    /// The lane's number, from 0 on.
    package var number: Int { shards.lane }

    /// The name at the broker, in the outbox and in metrics: `status`, or `status.07` where there are several.
    package var name: String {
        guard !shards.areAll else { return worker.rawValue }
        return "\(worker.rawValue).\(number < 10 ? "0" : "")\(number)"
    }

    /// The client id that the lane's session at the broker belongs to.
    package var clientID: String { "svc.lamplighter.\(name)" }
    package var description: String { name }
}

extension WorkerName {
    /// The client id that the worker's broker session belongs to, where one process does all the work.
    package var clientID: String { Lane(self).clientID }
}

/// Into how many lanes each worker is divided.
package struct LanePlan: Sendable, Equatable {
    private let counts: [WorkerName: Int]
    /// Whether several processes share the work: then the topics of clients' messages have the shard in front.
    package let isShared: Bool

    /// One process does all the work.
    package static let alone = LanePlan(counts: [:], isShared: false)
    /// Several processes share the work: as many lanes as 16 of them can have even shares of, and of requests as many
    /// as their transactions, one each, need.
    package static let shared = LanePlan(
        counts: [.status: 32, .control: 8, .account: 4, .schedule: 2],
        isShared: true
    )

    /// How many lanes a worker has.
    package func count(of worker: WorkerName) -> Int { counts[worker] ?? 1 }

    /// Returns a worker's lanes, in order.
    package func lanes(of worker: WorkerName) -> [Lane] {
        (0..<count(of: worker)).map { lane(of: worker, number: $0) }
    }

    /// Returns the lane of a worker with a number.
    package func lane(of worker: WorkerName, number: Int) -> Lane {
        Lane(worker, Shards(lane: number, of: count(of: worker)))
    }

    /// Returns the lane of a worker that an id's messages go to.
    package func lane(of worker: WorkerName, for id: String) -> Lane {
        lane(of: worker, number: Int(Shard.of(id.utf8)) % count(of: worker))
    }
}
