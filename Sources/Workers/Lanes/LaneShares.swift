/// The calculation of how many lanes a process takes or gives back, so that all shares are about equal.
struct LaneShares {
    /// The number of lanes that the worker has in all.
    var total: Int
    /// The number of lanes that no living process holds.
    var free: Int
    /// The number of lanes that this process holds.
    var own: Int
    /// The number of lanes of each other living process that takes lanes.
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
    /// A process can take several free lanes at once. It gives back one lane at a time, since a lane pauses while
    /// moving. If it must hand over its lanes, it gives back all at once.
    var step: Step {
        guard !isDraining else { return Step(give: others.isEmpty ? 0 : own) }
        let share = (total + others.count) / (others.count + 1)
        if own > share || own - (others.min() ?? own) >= 2 { return Step(give: 1) }
        return Step(take: max(0, min(portion, share - own)))
    }

    /// The number of free lanes for this process.
    ///
    /// Each free lane in turn goes to the process with the fewest lanes. Without this rule, processes that give lanes
    /// to another process would take them back.
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
