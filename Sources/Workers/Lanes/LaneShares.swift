/// A calculation of how many lanes a process must take or give back to make all shares about equal.
struct LaneShares {
    /// The number of lanes that the worker has in all.
    var total: Int
    /// The number of lanes that no living process holds.
    var free: Int
    /// The number of lanes that this process holds.
    var own: Int
    /// The number of lanes held by each of the other living processes that take lanes.
    var others: [Int]
    /// Whether this process must hand over its lanes.
    var isDraining = false

    /// One step towards even shares, after which the process soon checks again.
    struct Step: Equatable {
        /// The number of free lanes to take.
        var take = 0
        /// The number of held lanes to give back.
        var give = 0
    }

    /// The next step towards even shares.
    ///
    /// A process can take several free lanes in one step. It gives back only one lane in one step, because a lane
    /// pauses while it moves. A process that must hand over its lanes gives back all of them in one step.
    var step: Step {
        guard !isDraining else { return Step(give: others.isEmpty ? 0 : own) }
        let share = (total + others.count) / (others.count + 1)
        if own > share || own - (others.min() ?? own) >= 2 { return Step(give: 1) }
        return Step(take: max(0, min(portion, share - own)))
    }

    /// The number of free lanes for this process.
    ///
    /// The free lanes are assigned one after the other, each to the process that then has the fewest lanes. Without
    /// this rule, a process that gives back a lane for another process could take the same lane again.
    private var portion: Int {
        var (count, counts) = (own, others)
        for _ in 0..<free {
            if let place = counts.indices.min(by: { counts[$0] < counts[$1] }), counts[place] < count {
                counts[place] += 1
            } else {
                count += 1
            }
        }
        return count - own
    }
}
