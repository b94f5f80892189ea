/// The choice among waiting jobs, so that one sender's jobs never delay the others'.
///
/// The rules in words (reference: fairness#turns).
package enum FairTurns {
    /// Returns the first elements of a list when its senders take turns, each sender's in their order.
    ///
    /// A sender with one element is among the first, however many elements another has before it.
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
