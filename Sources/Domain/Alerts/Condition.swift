package import JSON

/// The kind of a device's condition.
package enum ConditionKind: String, Sendable, CaseIterable {
    case alert, fault

    /// The type of the event that clears it.
    package var clearedType: String { rawValue + "Cleared" }

    /// The field of a report, and of a product, that lists such conditions.
    package var field: String { rawValue + "s" }
}

extension Report {
    /// An alert or a fault as a device names it; `value: false` clears it.
    package struct Condition: Sendable, Equatable {
        /// The condition's name in its product.
        package var name: String
        /// The device's value for it; true if it gives none.
        package var value: JSONValue

        /// Names a condition.
        package init(_ name: String, value: JSONValue = true) {
            self.name = name
            self.value = value
        }
    }
}

extension Status {
    /// An alert or a fault that is on.
    package struct OpenCondition: Sendable, Equatable {
        /// Whether it is an alert or a fault.
        package var kind: ConditionKind
        /// The condition's name.
        package var name: String
        /// The event that announced it; its clearing carries the same id.
        package var eventID: String
        /// The time of the newest report that raised it.
        package var ts: Instant

        /// Makes an open condition.
        package init(kind: ConditionKind, name: String, eventID: String, ts: Instant = Instant(milliseconds: 0)) {
            self.kind = kind
            self.name = name
            self.eventID = eventID
            self.ts = ts
        }
    }

    /// An alert or a fault that is off, with its time, so that a late report can't raise it again.
    package struct ClearedCondition: Sendable, Equatable {
        /// Whether it is an alert or a fault.
        package var kind: ConditionKind
        /// The condition's name.
        package var name: String
        /// The time of the newest report that cleared it.
        package var ts: Instant

        /// Makes a cleared condition.
        package init(kind: ConditionKind, name: String, ts: Instant) {
            self.kind = kind
            self.name = name
            self.ts = ts
        }
    }
}
