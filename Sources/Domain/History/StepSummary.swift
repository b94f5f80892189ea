package import JSON

/// The summaries of all attributes within one time step, in the order in which the attributes first occur.
package struct StepSummary: Sendable {
    private var names: [String] = []
    private var values: [String: ValueSummary] = [:]

    /// Makes a summary without values.
    package init() {}

    /// Adds each value of a record if the query requests the value.
    package mutating func add(_ data: JSONObject?, for question: HistoryQuestion) {
        for member in data?.members ?? [] where question.asks(for: member) {
            if values[member.key] == nil { names.append(member.key) }
            values[member.key, default: ValueSummary()].add(member.value)
        }
    }

    /// Returns the function's result for each attribute.
    ///
    /// Attributes for which the function has no result are left out.
    package func values(by function: SummaryFunction) -> JSONObject {
        JSONObject(
            members: names.compactMap { name in values[name]?.value(function).map { .init(key: name, value: $0) } }
        )
    }
}

extension HistoryQuestion {
    /// Returns whether the query requests a value.
    ///
    /// The value must be one that may be shown. If the query names an attribute, the value must belong to this
    /// attribute.
    fileprivate func asks(for member: JSONObject.Member) -> Bool {
        if let attribute, !attribute.isSame(as: member.key) { return false }
        return isShown(member)
    }

    /// Returns whether a value may be shown: neither null nor write-only.
    package func isShown(_ member: JSONObject.Member) -> Bool { member.value != .null && !hidden.contains(member.key) }
}
