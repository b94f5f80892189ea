package import JSON

/// The kind of a device's condition.
package enum ConditionKind: String, Sendable, CaseIterable {
    case alert, fault

    /// The type of the event that clears a condition of this kind.
    package var clearedType: String { rawValue + "Cleared" }

    /// The field that lists conditions of this kind in a report and a product.
    package var field: String { rawValue + "s" }
}

extension Report {
    /// An alert or a fault in a device's report.
    ///
    /// With the value `false`, the report clears the condition. With any other value, the report raises it.
    package struct Condition: Sendable, Equatable {
        /// The condition's name in its product.
        package var name: String
        /// The device's value for the condition, or true if the device sent no value.
        package var value: JSONValue

        /// Makes a condition from its name and value.
        package init(_ name: String, value: JSONValue = true) {
            (self.name, self.value) = (name, value)
        }
    }
}

extension Status {
    /// An alert or a fault that has been raised and not yet cleared.
    package struct OpenCondition: Sendable, Equatable {
        /// The kind of the condition: alert or fault.
        package var kind: ConditionKind
        /// The condition's name.
        package var name: String
        /// The id of the event that raised the condition; the event that clears the condition will have the same id.
        package var eventID: String
        /// The time of the newest report that raised the condition.
        package var ts: Instant

        /// Makes an open condition.
        package init(kind: ConditionKind, name: String, eventID: String, ts: Instant = Instant(milliseconds: 0)) {
            (self.kind, self.name, self.eventID, self.ts) = (kind, name, eventID, ts)
        }
    }

    /// A cleared alert or fault, kept with its time so that a late report can't raise it again.
    package struct ClearedCondition: Sendable, Equatable {
        /// The kind of the condition: alert or fault.
        package var kind: ConditionKind
        /// The condition's name.
        package var name: String
        /// The time of the newest report that cleared the condition.
        package var ts: Instant

        /// Makes a cleared condition.
        package init(kind: ConditionKind, name: String, ts: Instant) {
            (self.kind, self.name, self.ts) = (kind, name, ts)
        }
    }
}
