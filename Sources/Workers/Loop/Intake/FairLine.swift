import DequeModule

/// A queue whose parties take turns: each party's elements stay in order.
struct FairLine<Element> {
    private var lines: [UInt64: Deque<Element>] = [:]
    private var turns = Deque<UInt64>()
    /// The number of waiting elements.
    private(set) var count = 0

    /// Adds an element behind those of its party.
    mutating func append(_ element: Element, of party: UInt64) {
        count += 1
        if lines[party]?.append(element) == nil {
            lines[party] = [element]
            turns.append(party)
        }
    }

    /// Takes the first of the party whose turn it is.
    mutating func popFirst() -> Element? {
        guard let party = turns.popFirst(), let element = lines[party]?.popFirst() else {
            return nil
        }
        count -= 1
        if lines[party]?.isEmpty == true { lines[party] = nil } else { turns.append(party) }
        return element
    }
}
