/// Decides how many lanes of a worker a process takes and gives back, so that all processes have about as many.
struct LaneShares {
    /// How many lanes the worker has.
    var total: Int
    /// How many of them no living process holds.
    var free: Int
    /// How many of them this process holds.
    var own: Int
    /// How many each of the other living processes holds that take lanes.
    var others: [Int]
    /// Whether this process is to hand over its lanes.
    var isDraining = false

    /// What a process does now; it looks again soon.
    struct Step: Equatable {
        /// How many free lanes to take.
        var take = 0
        /// How many of its own to give back.
        var give = 0
    }

    /// Returns the next step: lanes move one at a time, as each is quiet for a moment; those without a holder all at
    /// once.
    var step: Step {
        guard !isDraining else { return Step(give: others.isEmpty ? 0 : own) }
        let share = (total + others.count) / (others.count + 1)
        if own > share || own - (others.min() ?? own) >= 2 { return Step(give: 1) }
        return Step(take: max(0, min(portion, share - own)))
    }

    /// How many of the free lanes are this process's, if each goes to the one with the fewest.
    ///
    /// Without regard to that two processes would take at once what they gave back for a third.
    private var portion: Int {
        var (count, counts) = (own, others)
        for _ in 0..<free {
            if let place = counts.indices.min(by: { counts[$0] < counts[$1] }),
                counts[place] < count
            {
                counts[place] += 1
            } else {
                count += 1
            }
        }
        return count - own
    }
}
