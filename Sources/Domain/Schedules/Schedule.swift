package import JSON

/// The form of a schedule's id.
package enum ScheduleKind: IdentifierKind {
    package static let name = "scheduleId"
}

/// A schedule's id, made by the service; it never changes.
package typealias ScheduleID = Identifier<ScheduleKind>

/// A command that is sent to a device at certain times.
package struct Schedule: Sendable, Equatable {
    /// The treatment of a missed occurrence.
    package enum Misfire: String, Sendable, CaseIterable {
        case skip, run
    }

    /// Its id.
    package var id: ScheduleID
    /// The device.
    package var did: DeviceID
    /// The user whose rights it acts with.
    package var creator: UserID
    /// The app that the creator belongs to.
    package var app: AppID
    /// The times.
    package var timing: Timing
    /// The values to set.
    package var attrs: JSONObject
    /// The creator's note.
    package var remark: String
    /// Whether it acts at all.
    package var isEnabled: Bool
    /// The treatment of a missed occurrence.
    package var misfire: Misfire
    /// The creation time.
    package var createdAt: Instant
    /// The time since which it acts at these times: when they were set, or it was enabled.
    package var activeSince: Instant
    /// The time of the last change.
    package var updatedAt: Instant
    /// Its next occurrence; nil while it is disabled, or if there is none.
    package var nextAt: Instant?

    /// Makes a schedule.
    package init(
        id: ScheduleID,
        did: DeviceID,
        creator: UserID,
        app: AppID,
        timing: Timing,
        attrs: JSONObject,
        remark: String,
        isEnabled: Bool,
        misfire: Misfire,
        createdAt: Instant,
        nextAt: Instant? = nil
    ) {
        self.id = id
        self.did = did
        self.creator = creator
        self.app = app
        self.timing = timing
        self.attrs = attrs
        self.remark = remark
        self.isEnabled = isEnabled
        self.misfire = misfire
        self.createdAt = createdAt
        self.nextAt = nextAt
        activeSince = createdAt
        updatedAt = createdAt
    }

    /// The maximum number of schedules of one device.
    package static let perDeviceMax = 100
}
