/// A user's choice of notifications.
package struct NotificationSettings: Sendable, Equatable {
    /// The user.
    package var uid: UserID
    /// The kinds that are switched off.
    package var off: Set<Notification.Kind> = []
    /// The devices whose notifications are switched off.
    package var offDevices: Set<DeviceID> = []
    /// The number of minutes for which a device must be offline before the user is notified.
    ///
    /// If the number is 0, the user isn't notified.
    package var offlineMinutes: Int64 = 0
    /// The hours in which pushes are delayed, if any.
    package var quiet: QuietHours?

    /// Makes the settings of a user who has not changed any setting.
    package init(_ uid: UserID) { self.uid = uid }

    /// The maximum of `offlineMinutes`: a week.
    package static let offlineMinutesMax: Int64 = 10_080
    /// The maximum number of devices whose notifications can be switched off.
    package static let devicesMax = 500

    /// Returns why the user's switch for a kind or a device excludes a notification, or nil if no switch does.
    package func refusal(of kind: Notification.Kind, _ did: DeviceID?) -> NotificationReason? {
        if kind != .system, off.contains(kind) { return .kindOff }
        if let did, offDevices.contains(did) { return .deviceOff }
        return nil
    }
}

/// A daily period in which pushes are delayed until the period ends.
package struct QuietHours: Sendable, Equatable {
    /// The beginning and the end of the period, in minutes after midnight.
    ///
    /// If `to` is smaller than `from`, the period ends on the next day.
    package var (from, to): (Int64, Int64)
    /// The IANA name of the time zone, or nil for the zone of the user's profile.
    package var zone: String?

    /// Makes quiet hours.
    package init(from: Int64, to: Int64, zone: String?) { (self.from, self.to, self.zone) = (from, to, zone) }

    /// Returns the end of the current quiet hours, or nil if `now` isn't within quiet hours.
    package func end(at now: Instant, in zone: ZoneRules) -> Instant? {
        let seconds = now.milliseconds / 1_000
        let today = zone.date(at: seconds).day
        let minute = (seconds + zone.offset(at: seconds) - today * 86_400) / 60
        let isQuiet = from <= to ? (from..<to).contains(minute) : minute >= from || minute < to
        guard isQuiet else { return nil }
        let end = zone.first(local: (to > minute ? today : today + 1) * 86_400 + to * 60)
        // If clocks are set back, the end's local time can occur twice. If the first occurrence is already over, this
        // function returns the time a minute from now.
        return Instant(milliseconds: (end > seconds ? end : seconds + 60) * 1_000)
    }
}
