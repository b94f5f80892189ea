/// Things that wait in the order in which they came; taking the first costs nothing.
struct Line<Element> {
    private var elements: [Element] = []
    private var head = 0

    /// What is taken stays in memory until so many have been, or until all were.
    private static var headMax: Int { 4096 }
    private static var keptCapacity: Int { 10_000 }

    /// How many wait.
    var count: Int { elements.count - head }
    /// Whether none waits.
    var isEmpty: Bool { head == elements.count }
    /// The one that has waited longest.
    var first: Element? { isEmpty ? nil : elements[head] }

    /// One that waits, by its place from the first on.
    subscript(_ place: Int) -> Element {
        get { elements[head + place] }
        set { elements[head + place] = newValue }
    }

    /// Adds one behind all others.
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

/// Things of several parties that take turns: each party's in their order, behind its own alone.
struct FairLine<Element> {
    private var lines: [UInt64: Line<Element>] = [:]
    private var turns = Line<UInt64>()
    /// How many wait.
    private(set) var count = 0

    /// Adds one behind those of its party.
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
