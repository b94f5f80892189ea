/// The faults of a document, collected so that its writer can correct them all at once.
package struct Faults {
    /// The maximum number of faults shown; a document with more is probably of another kind.
    private static let max = 32
    private var found: [Rejection] = []

    /// Makes an empty collection.
    package init() {}

    /// Returns the value that was read; keeps the fault and returns nil if it is refused.
    package mutating func catching<Value>(
        _ read: @autoclosure () throws(Rejection) -> Value?
    ) -> Value? {
        do {
            return try read()
        } catch {
            add(error)
            return nil
        }
    }

    /// Adds a fault and its `others`.
    package mutating func add(_ fault: Rejection) {
        var first = fault
        first.others = []
        found = Array((found + [first] + fault.others).prefix(Self.max))
    }

    /// Throws the first fault, if any, with the others in it.
    package func throwFirst() throws(Rejection) {
        guard var first = found.first else { return }
        first.others = Array(found.dropFirst())
        throw first
    }
}
