/// The shards of one lane: all whose number, modulo the number of lanes, is the lane's.
package struct Shards: Hashable, Sendable {
    /// The lane's number, starting at 0.
    package let lane: Int
    /// The number of lanes: a power of two, at most 256.
    package let lanes: Int

    /// All shards, for work that isn't divided.
    package static let all = Shards(lane: 0, of: 1)

    /// Selects the shards of a lane.
    package init(lane: Int, of lanes: Int) {
        self.lane = lane
        self.lanes = lanes
    }

    /// Whether these are all shards.
    package var areAll: Bool { lanes == 1 }

    /// Returns whether a shard is among them.
    package func contains(_ shard: UInt8) -> Bool { Int(shard) % lanes == lane }

    /// Returns whether an id's shard is among them.
    package func contain(_ id: String) -> Bool { areAll || contains(Shard.of(id.utf8)) }

    /// The shards' names, separated by spaces, for statements that look for one of them.
    package var names: String { members.map(Shard.name).joined(separator: " ") }

    /// The shards, in ascending order.
    package var members: [UInt8] { stride(from: lane, to: Shard.count, by: lanes).map { UInt8($0) } }
}
