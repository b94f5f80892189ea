package import Domain
package import Storage

/// A calendar that computes schedules' times.
///
/// The calendar caches time zones. Therefore, it is valid for only one transaction.
package struct ScheduleCalendar {
    private let tx: Transaction
    private let keepsNewZones: Bool
    private var zones: [String: ZoneRules] = [:]

    /// Creates a calendar.
    ///
    /// If `keepsNewZones`, the calendar stores new time zones and needs a write transaction.
    package init(_ tx: Transaction, keepsNewZones: Bool) {
        self.tx = tx
        self.keepsNewZones = keepsNewZones
    }

    /// Returns a time zone's rules, or nil if the name is unknown.
    mutating func zone(_ name: String) throws -> ZoneRules? {
        if let known = zones[name] { return known }
        if let data = try tx.replans.zone(name), let rules = ZoneRules(file: data) {
            zones[name] = rules
            return rules
        }
        guard let data = ZoneFiles.data(of: name), let rules = ZoneRules(file: data) else {
            return name == "UTC" ? .utc : nil
        }
        if keepsNewZones { try tx.replans.setZone(name, data) }
        zones[name] = rules
        return rules
    }

    /// Returns the location of the device's home, or else of the user's profile.
    func place(of did: DeviceID, _ uid: UserID) throws -> Location? {
        if let id = try tx.homes.home(of: did, uid), let place = try tx.homes.find(id, of: uid)?.place { return place }
        let profile = try tx.accounts.find(uid)?.profile
        guard let latitude = profile?.latitude, let longitude = profile?.longitude else { return nil }
        return Location(latitude: latitude, longitude: longitude)
    }

    /// Returns a schedule's zone, and the location if the times depend on the sun.
    ///
    /// UTC is used for a zone that neither the store nor the system contains.
    package mutating func frame(of schedule: Schedule) throws -> (zone: ZoneRules, place: Location?) {
        let needsPlace = schedule.timing.time.needsPlace
        let place = needsPlace ? try place(of: schedule.did, schedule.creator) : nil
        return (try zone(schedule.timing.zone) ?? .utc, place)
    }

    /// Returns a schedule's first occurrence after a moment, if there is one.
    package mutating func next(_ schedule: Schedule, after moment: Instant) throws -> Instant? {
        let (zone, place) = try frame(of: schedule)
        return ScheduleRules.next(of: schedule.timing, after: moment, zone: zone, place: place)
    }

    /// Returns the schedule's next planned day if it is a polar day or a polar night, and nil otherwise.
    mutating func polar(
        _ schedule: Schedule,
        at now: Instant
    ) throws -> (date: CalendarDate, outcome: ScheduleRules.DayOutcome)? {
        let (zone, place) = try frame(of: schedule)
        return place.flatMap { ScheduleRules.polar(schedule.timing, after: now, zone: zone, place: $0) }
    }
}
