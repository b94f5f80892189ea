/// The shards that are one lane's: those with its number as their remainder.
package struct Shards: Hashable, Sendable {
    /// The lane's number, from 0 on.
    package let lane: Int
    /// How many lanes there are: a power of two, at most 256.
    package let lanes: Int

    /// All shards, where the work isn't divided.
    package static let all = Shards(lane: 0, of: 1)

    /// The shards of a lane.
    package init(lane: Int, of lanes: Int) {
        self.lane = lane
        self.lanes = lanes
    }

    /// Whether these are all shards.
    package var areAll: Bool { lanes == 1 }

    /// Whether a shard is among them.
    package func contains(_ shard: UInt8) -> Bool { Int(shard) % lanes == lane }

    /// Whether an id's shard is among them.
    package func contain(_ id: String) -> Bool { areAll || contains(Shard.of(id.utf8)) }

    /// The shards as they stand in ids, separated by spaces, for statements that look for one among them.
    package var names: String { members.map(Shard.name).joined(separator: " ") }

    /// The shards, in ascending order.
    package var members: [UInt8] {
        stride(from: lane, to: Shard.count, by: lanes).map { UInt8($0) }
    }
}
