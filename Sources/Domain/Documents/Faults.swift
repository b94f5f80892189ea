/// The faults of a document, collected so that its author can correct all of them at once.
package struct Faults {
    /// The maximum number of faults that are kept.
    ///
    /// A document with more faults is probably not a document of the expected kind.
    private static let max = 32
    private var found: [Rejection] = []

    /// Makes an empty collection.
    package init() {}

    /// Returns the result of `read`.
    ///
    /// If `read` throws a fault, the fault is added to the collection, and the result is nil.
    package mutating func catching<Value>(_ read: @autoclosure () throws(Rejection) -> Value?) -> Value? {
        do {
            return try read()
        } catch {
            add(error)
            return nil
        }
    }

    /// Adds a fault and the faults in its `others`.
    package mutating func add(_ fault: Rejection) {
        var first = fault
        first.others = []
        found = Array((found + [first] + fault.others).prefix(Self.max))
    }

    /// If there are faults, throws the first one, with the other faults in its `others`.
    package func throwFirst() throws(Rejection) {
        guard var first = found.first else { return }
        first.others = Array(found.dropFirst())
        throw first
    }
}
