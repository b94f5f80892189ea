import Batching
import Metering

/// The messages of devices that the status worker has not processed yet: of the whole worker, or of each of its lanes
/// where several processes share the work.
///
/// The echoes tell how many lanes there are. Each lane is behind by itself, as it has a queue of its own at the broker.
struct Backlogs {
    private let limit: Int
    private var lanes: [Backlog]

    /// Begins with one for all devices; a limit of 0 refuses nothing.
    init(limit: Int) {
        self.limit = limit
        lanes = [Backlog(limit: limit)]
    }

    /// Notes an echo of a lane, of so many; `seen` is the newest one that came back to it.
    ///
    /// Another number of lanes than before comes with other processes: what was counted by the old one is void.
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
    mutating func take(
        _ sender: inout Backlog.Sender,
        of did: String,
        at now: Int64
    ) -> Backlog.Verdict {
        let lane = lanes.count == 1 ? 0 : Int(Shard.of(did.utf8)) % lanes.count
        return lanes[lane].take(&sender, at: now)
    }
}
