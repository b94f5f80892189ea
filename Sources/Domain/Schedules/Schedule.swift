package import JSON

/// The form of a schedule's id.
package enum ScheduleKind: IdentifierKind {
    package static let name = "scheduleId"
}

/// A schedule's id, which the service makes and which never changes.
package typealias ScheduleID = Identifier<ScheduleKind>

/// A schedule: a command that is sent to a device at certain times.
package struct Schedule: Sendable, Equatable {
    /// The rule for an occurrence that was missed: skip it, or run it late.
    package enum Misfire: String, Sendable, CaseIterable {
        case skip, run
    }

    /// The schedule's id.
    package var id: ScheduleID
    /// The device that gets the command.
    package var did: DeviceID
    /// The user who created the schedule and with whose rights the schedule acts.
    package var creator: UserID
    /// The app to which the creator belongs.
    package var app: AppID
    /// The days and the time of day at which the schedule acts.
    package var timing: Timing
    /// The values that the command sets.
    package var attrs: JSONObject
    /// The creator's note.
    package var remark: String
    /// Whether the schedule is enabled; a disabled schedule doesn't act.
    package var isEnabled: Bool
    /// The rule for an occurrence that was missed: skip it, or run it late.
    package var misfire: Misfire
    /// The creation time.
    package var createdAt: Instant
    /// The last moment at which the schedule was enabled or its times were set.
    package var activeSince: Instant
    /// The time of the last change.
    package var updatedAt: Instant
    /// The next occurrence, or nil if the schedule is disabled or has no further occurrence.
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
