package import JSON

/// The current state of a device: its values, its open conditions and its presence.
package struct Status: Sendable, Equatable {
    /// An attribute's value and the time of that value.
    package struct Attribute: Sendable, Equatable {
        /// The attribute's name.
        package var name: String
        /// The attribute's value.
        package var value: JSONValue
        /// The time of the report that contained the value.
        package var ts: Instant

        /// Makes an attribute.
        package init(name: String, value: JSONValue, ts: Instant) {
            (self.name, self.value, self.ts) = (name, value, ts)
        }
    }

    /// A record of the newest reports among those that contain only a time and values.
    ///
    /// The newest reports all have the same time. The record contains this time, and fingerprints of the reports'
    /// values. With the fingerprints, the service recognises a second delivery of a report without reading the history.
    package struct Newest: Sendable, Equatable {
        /// The time of the newest report that contains only a time and values.
        package var ts: Instant
        /// At most `fingerprintsMax` fingerprints of the values that were reported with the time `ts`.
        package var fingerprints: [UInt64]

        /// The maximum number of fingerprints that are kept for reports with the same time.
        package static let fingerprintsMax = 32

        /// Makes a record of the reports that have the same time.
        package init(ts: Instant, fingerprints: [UInt64]) {
            (self.ts, self.fingerprints) = (ts, fingerprints)
        }
    }

    /// The maximum number of cleared conditions that are kept.
    ///
    /// A product can't declare more conditions than this.
    package static let clearedMax = 128

    /// The version number, which grows by one with each report that changes a value.
    package var version: Int64 = 0
    /// The time of the last change that is visible to bound users.
    package var ts: Instant
    /// The values, in the order in which they first arrived.
    package var attributes: [Attribute] = []
    /// The alerts and faults that have been raised and not yet cleared.
    package var open: [OpenCondition] = []
    /// The alerts and faults that reports have cleared, in order of clearing.
    package var cleared: [ClearedCondition] = []
    /// The device's connection state.
    package var presence = Presence()
    /// The record of the newest reports that contain only a time and values, or nil before the first such report.
    package var newest: Newest?
    /// The number of bytes that have been written to the device's history today.
    package var historyUse = HistoryUse()
    /// The number of history records for the newest day with a record, and for the day before that day.
    package var historyCount = HistoryCount()

    /// The times of all stored values and conditions, and of the newest report.
    package var reportTimes: [Instant] {
        attributes.map(\.ts) + open.map(\.ts) + cleared.map(\.ts) + [newest?.ts].compactMap(\.self)
    }

    /// Makes the status of a device that has not reported yet.
    package init(ts: Instant) {
        self.ts = ts
    }
}

/// An event of a device, as published and stored.
package struct Event: Sendable, Equatable {
    /// The event's id, which is the same for raising and clearing a condition.
    package var id: String
    /// The type: `alert, alertCleared, fault, faultCleared, online, offline, scheduleRun, historyLimited`.
    package var type: String
    /// The condition's name.
    package var name: String?
    /// The value that the device reported for the condition.
    package var value: JSONValue?
    /// The reason for going offline, in an event of the type `offline`.
    package var reason: String?
    /// The time of the event.
    package var ts: Instant
    /// The actor that caused the event.
    package var actor: Actor

    /// All types of events.
    package static let types: Set<String> = [
        "alert", "alertCleared", "fault", "faultCleared", "online", "offline", "scheduleRun", historyLimited,
    ]

    /// The type of the event that tells users that a device's history has reached its maximum size for today.
    package static let historyLimited = "historyLimited"

    /// Makes an event.
    package init(
        id: String,
        type: String,
        name: String? = nil,
        value: JSONValue? = nil,
        reason: String? = nil,
        ts: Instant,
        actor: Actor
    ) {
        self.id = id
        self.type = type
        self.name = name
        self.value = value
        self.reason = reason
        self.ts = ts
        self.actor = actor
    }
}
