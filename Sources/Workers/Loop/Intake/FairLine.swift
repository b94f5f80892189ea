import DequeModule

/// A queue in which parties take turns, and in which the elements of each party stay in order.
///
/// A turn gives a party `turnBytes` bytes. A larger element waits for several turns, so other parties aren't delayed.
struct FairLine<Party: Hashable, Element> {
    fileprivate struct Line {
        var elements = Deque<(element: Element, size: Int)>()
        /// The bytes that the party has saved in earlier turns, because the party's first element was too large.
        var saved = 0
    }

    private let turnBytes: Int
    private var lines: [Party: Line] = [:]
    private var turns = Deque<Party>()
    /// The number of waiting elements.
    private(set) var count = 0

    /// Makes a queue; by default, each turn takes one element of any size.
    init(turnBytes: Int = .max) { self.turnBytes = turnBytes }

    /// The number of parties with elements.
    var parties: Int { turns.count }

    /// Returns the number of a party's elements.
    func count(of party: Party) -> Int { lines[party]?.elements.count ?? 0 }

    /// Adds an element after the earlier elements of its party.
    mutating func append(_ element: Element, of party: Party, size: Int = 0) {
        count += 1
        if lines[party]?.elements.append((element, size)) == nil {
            lines[party] = Line(elements: [(element, size)])
            turns.append(party)
        }
    }

    /// Removes and returns the first element of the party whose turn it is.
    mutating func popFirst() -> Element? {
        while let party = turns.popFirst() {
            if lines[party]?.elements.isEmpty == true {
                lines[party] = nil
                continue
            }
            guard let first = lines[party]?.take(in: turnBytes) else {
                turns.append(party)
                continue
            }
            count -= 1
            if lines[party]?.elements.isEmpty == true { lines[party] = nil } else { turns.append(party) }
            return first
        }
        return nil
    }

    /// Returns the party with the most elements, if that party has more than `min` elements.
    func longest(over min: Int) -> Party? {
        lines.filter { $0.value.elements.count > min }
            .max { $0.value.elements.count < $1.value.elements.count }?.key
    }

    /// Removes and returns a party's last element, but keeps the party's turn.
    mutating func popLast(of party: Party) -> Element? {
        guard let last = lines[party]?.elements.popLast() else { return nil }
        count -= 1
        return last.element
    }
}

extension FairLine.Line {
    /// Takes the first element if the turn's bytes and the saved bytes suffice; otherwise, saves the turn's bytes.
    fileprivate mutating func take(in turn: Int) -> Element? {
        guard let first = elements.first else { return nil }
        guard first.size <= turn || first.size - turn <= saved else {
            saved += turn
            return nil
        }
        saved = 0
        return elements.popFirst()?.element
    }
}
