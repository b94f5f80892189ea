import Batching
import Metering

/// The counts of devices' messages that the status worker hasn't processed yet, with one count for each lane.
///
/// An echo is a message that a worker sends to itself. An echo contains the number of lanes. Each lane has its own
/// queue at the broker, so each lane can fall behind separately.
struct Backlogs {
    private let limit: Int
    private var lanes: [Backlog]

    /// Creates a single backlog for all devices, which is used until the first echo tells the number of lanes.
    ///
    /// If `limit` is 0, no message is refused.
    init(limit: Int) {
        self.limit = limit
        lanes = [Backlog(limit: limit)]
    }

    /// Records that `lane`, one of `count` lanes, has sent echo `number` and got back echo `seen`.
    ///
    /// If the number of lanes changes, the echo comes from new processes. The earlier counts are then reset.
    mutating func note(echo number: Int64, seen: Int64, by lane: Int, of count: Int) {
        guard (1...Shard.count).contains(count), (0..<count).contains(lane) else { return }
        if lanes.count != count { lanes = Array(repeating: Backlog(limit: limit), count: count) }
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
