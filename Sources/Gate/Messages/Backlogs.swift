import Batching
import Metering

/// The counts of devices' messages that the status worker hasn't processed yet.
///
/// The gate keeps one count for the whole worker, or one for each lane if several processes share the work.
///
/// The workers' echoes contain the number of lanes. Each lane has its own queue at the broker, so each lane can fall
/// behind separately.
struct Backlogs {
    private let limit: Int
    private var lanes: [Backlog]

    /// Creates one backlog for all devices; with a limit of 0, no message is refused.
    init(limit: Int) {
        self.limit = limit
        lanes = [Backlog(limit: limit)]
    }

    /// Records an echo of one of `count` lanes; `seen` is the number of the newest echo that came back to the lane.
    ///
    /// An echo with a different number of lanes comes from other processes, and resets the earlier counts.
    mutating func note(echo number: Int64, seen: Int64, by lane: Int, of count: Int) {
        guard (1...Shard.count).contains(count), (0..<count).contains(lane) else { return }
        if lanes.count != count {
            lanes = Array(repeating: Backlog(limit: limit), count: count)
        }
        lanes[lane].note(echo: number, seen: seen)
    }

    /// Records the end of a lane's connection.
    mutating func end(_ lane: Int) {
        guard lanes.indices.contains(lane) else { return }
        lanes[lane].end()
    }

    /// Decides whether to let a device's message through, and counts the message if so.
    mutating func take(_ sender: inout Backlog.Sender, of did: String, at now: Int64) -> ShareVerdict {
        let lane = lanes.count == 1 ? 0 : Int(Shard.of(did.utf8)) % lanes.count
        return lanes[lane].take(&sender, at: now)
    }
}
