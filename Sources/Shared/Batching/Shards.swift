/// The shards of one lane, which handles a part of a worker's messages.
///
/// A shard belongs to a lane if the shard's number modulo the number of lanes equals the lane's number.
package struct Shards: Hashable, Sendable {
    /// The lane's number, starting at 0.
    package let lane: Int
    /// The number of lanes: a power of two, at most 256.
    package let lanes: Int

    /// All shards, for work that isn't divided.
    package static let all = Shards(lane: 0, of: 1)

    /// Makes the shards of a lane.
    package init(lane: Int, of lanes: Int) {
        (self.lane, self.lanes) = (lane, lanes)
    }

    /// Whether these shards are all that exist.
    package var areAll: Bool { lanes == 1 }

    /// Returns whether a shard belongs to the lane.
    package func contains(_ shard: UInt8) -> Bool { Int(shard) % lanes == lane }

    /// Returns whether an id's shard belongs to the lane.
    package func contain(_ id: String) -> Bool { areAll || contains(Shard.of(id.utf8)) }

    /// The names of the shards, separated by spaces, for SQL statements that select rows by shard.
    package var names: String { members.map(Shard.name).joined(separator: " ") }

    /// The shards, in ascending order.
    package var members: [UInt8] { stride(from: lane, to: Shard.count, by: lanes).map { UInt8($0) } }
}
