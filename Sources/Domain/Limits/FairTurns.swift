/// An order of waiting jobs: senders take turns, so no sender has to wait until all jobs of another sender are done.
///
/// The documentation describes these rules (reference: fairness#turns).
package enum FairTurns {
    /// Orders elements so that senders take turns and each sender's elements stay in order; returns the first `limit`
    /// elements.
    ///
    /// A sender with one element gets its turn in the first round, even if it follows many elements of another sender.
    package static func first<Element, Key: Hashable>(
        _ limit: Int,
        of elements: [Element],
        by key: (Element) -> Key
    ) -> [Element] {
        guard elements.count > limit else { return elements }
        var rounds: [Key: Int] = [:]
        let placed = elements.enumerated().map { place, element in
            let round = rounds[key(element), default: 0]
            rounds[key(element)] = round + 1
            return (round: round, place: place, element: element)
        }
        return placed.sorted { ($0.round, $0.place) < ($1.round, $1.place) }.prefix(limit)
            .map(\.element)
    }
}
