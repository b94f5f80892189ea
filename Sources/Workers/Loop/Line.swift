/// A queue, first in, first out; taking the first element takes constant time.
struct Line<Element> {
    private var elements: [Element] = []
    private var head = 0

    /// The number of taken elements after which their memory is freed.
    private static var headMax: Int { 4096 }
    private static var keptCapacity: Int { 10_000 }

    /// The number of waiting elements.
    var count: Int { elements.count - head }
    /// Whether none waits.
    var isEmpty: Bool { head == elements.count }
    /// The element that has waited longest.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// Accesses a waiting element by its place, counted from the first.
    subscript(_ place: Int) -> Element {
        get { elements[head + place] }
        set { elements[head + place] = newValue }
    }

    /// Adds an element behind all others.
    mutating func append(_ element: Element) { elements.append(element) }

    /// Takes the first.
    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let first = elements[head]
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: elements.count < Self.keptCapacity)
            head = 0
        } else if head > Self.headMax {
            elements.removeSubrange(..<head)
            head = 0
        }
        return first
    }
}

/// A queue whose parties take turns: each party's elements stay in order.
struct FairLine<Element> {
    private var lines: [UInt64: Line<Element>] = [:]
    private var turns = Line<UInt64>()
    /// The number of waiting elements.
    private(set) var count = 0

    /// Adds an element behind those of its party.
    mutating func append(_ element: Element, of party: UInt64) {
        count += 1
        if lines[party]?.append(element) == nil {
            var line = Line<Element>()
            line.append(element)
            lines[party] = line
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
