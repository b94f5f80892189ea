import Batching
import Metering

/// The messages of devices that the status worker has not processed yet: for the whole worker, or for each lane if
/// several processes share the work.
///
/// The echoes state the number of lanes. Each lane has its own queue at the broker, so each can fall behind separately.
struct Backlogs {
    private let limit: Int
    private var lanes: [Backlog]

    /// Creates one backlog for all devices; a limit of 0 refuses nothing.
    init(limit: Int) {
        self.limit = limit
        lanes = [Backlog(limit: limit)]
    }

    /// Notes an echo of one of `count` lanes; `seen` is the newest echo that returned to it.
    ///
    /// An echo with a different number of lanes comes from other processes, and voids the earlier counts.
    mutating func note(echo number: Int64, seen: Int64, by lane: Int, of count: Int) {
        guard (1...Shard.count).contains(count), (0..<count).contains(lane) else { return }
        if lanes.count != count {
            lanes = Array(repeating: Backlog(limit: limit), count: count)
        }
        lanes[lane].note(echo: number, seen: seen)
    }

    /// Notes the end of a lane's connection.
    mutating func end(_ lane: Int) {
        guard lanes.indices.contains(lane) else { return }
        lanes[lane].end()
    }

    /// Decides about a device's message, and counts it if it is let through.
    mutating func take(_ sender: inout Backlog.Sender, of did: String, at now: Int64) -> ShareVerdict {
        let lane = lanes.count == 1 ? 0 : Int(Shard.of(did.utf8)) % lanes.count
        return lanes[lane].take(&sender, at: now)
    }
}
