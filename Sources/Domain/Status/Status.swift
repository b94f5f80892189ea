package import JSON

/// The current state of a device: values, open conditions, presence.
package struct Status: Sendable, Equatable {
    /// One attribute's value and its time.
    package struct Attribute: Sendable, Equatable {
        /// The attribute's name.
        package var name: String
        /// Its value.
        package var value: JSONValue
        /// The time of the report that gave it.
        package var ts: Instant

        /// Makes an attribute.
        package init(name: String, value: JSONValue, ts: Instant) {
            self.name = name
            self.value = value
            self.ts = ts
        }
    }

    /// The newest reports among those that contain only a time and values.
    ///
    /// They distinguish a second delivery from a new report without reading the history.
    package struct Newest: Sendable, Equatable {
        /// The newest time.
        package var ts: Instant
        /// A fingerprint of the values of each report of that time, at most `fingerprintsMax`.
        package var fingerprints: [UInt64]

        /// The maximum number of reports of one time that are distinguished.
        package static let fingerprintsMax = 32

        /// Makes a record of reports of one time.
        package init(ts: Instant, fingerprints: [UInt64]) {
            self.ts = ts
            self.fingerprints = fingerprints
        }
    }

    /// The maximum number of remembered cleared conditions: all that a product can declare.
    package static let clearedMax = 128

    /// The version, which grows by one with each report that changes a value.
    package var version: Int64 = 0
    /// The time of the last visible change.
    package var ts: Instant
    /// The values, in the order in which they first arrived.
    package var attributes: [Attribute] = []
    /// The alerts and faults that are on.
    package var open: [OpenCondition] = []
    /// The alerts and faults that reports cleared, the latest last.
    package var cleared: [ClearedCondition] = []
    /// Whether the device is connected.
    package var presence = Presence()
    /// The newest reports that contain only a time and values; nil before the first.
    package var newest: Newest?
    /// The device's use of its history today.
    package var historyUse = HistoryUse()
    /// The records that the history took of the device's newest days.
    package var historyCount = HistoryCount()

    /// The known times of reports, among them the newest.
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
    /// The event's id; a condition's clearing carries the id of its raising.
    package var id: String
    /// The type:
    /// `alert, alertCleared, fault, faultCleared, online, offline, scheduleRun, historyLimited`.
    package var type: String
    /// The condition's name.
    package var name: String?
    /// The device's value of the condition.
    package var value: JSONValue?
    /// The reason of an `offline`.
    package var reason: String?
    /// The time.
    package var ts: Instant
    /// The actor that caused it.
    package var actor: Actor

    /// All types of events.
    package static let types: Set<String> = [
        "alert", "alertCleared", "fault", "faultCleared", "online", "offline", "scheduleRun", historyLimited,
    ]

    /// The type of the event that today's history is full.
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
