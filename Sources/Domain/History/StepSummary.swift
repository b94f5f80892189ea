package import JSON

/// The values of one step of time, summed up by name in the order of arrival.
package struct StepSummary: Sendable {
    private var names: [String] = []
    private var values: [String: ValueSummary] = [:]

    /// Begins a step without values.
    package init() {}

    /// Adds those values of a record that the query asks for.
    package mutating func add(_ data: JSONObject?, for question: HistoryQuestion) {
        for member in data?.members ?? [] where question.asks(for: member) {
            if values[member.key] == nil { names.append(member.key) }
            values[member.key, default: ValueSummary()].add(member.value)
        }
    }

    /// Returns one value for each name that has one.
    package func values(by function: SummaryFunction) -> JSONObject {
        JSONObject(
            members: names.compactMap { name in values[name]?.value(function).map { .init(key: name, value: $0) } }
        )
    }
}

extension HistoryQuestion {
    /// Returns whether a value is requested: shown, and of the requested attribute, if any.
    fileprivate func asks(for member: JSONObject.Member) -> Bool {
        if let attribute, !attribute.isSame(as: member.key) { return false }
        return isShown(member)
    }

    /// Returns whether a value may be shown: neither null nor write-only.
    package func isShown(_ member: JSONObject.Member) -> Bool { member.value != .null && !hidden.contains(member.key) }
}
