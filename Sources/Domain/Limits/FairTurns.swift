/// An order of jobs in which senders take turns, however many jobs each has.
///
/// The documentation describes these rules (reference: fairness#turns).
package enum FairTurns {
    /// Returns `limit` elements in an order in which the senders take turns.
    ///
    /// Each sender's elements keep their order. A sender's first element is in the first round, however many elements
    /// precede it. If there are at most `limit` elements, all of them are returned in their original order.
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
