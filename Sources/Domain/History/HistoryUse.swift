/// The number of bytes that a device wrote to its history on one day, counted so that no device fills the disk.
///
/// The count is stored in the row of the device's status, which is saved after every report anyway. The count therefore
/// needs no extra statement or memory, and survives restarts.
///
/// A limit of 64 MiB a day allows 776 bytes a second around the clock, which is a report of twenty values each second.
/// A device that sends as fast as the gate allows (256 KiB a second) reaches the limit after about four minutes. In 30
/// days of history such a device fills at most 1.9 GiB, and would fill 630 GiB without the limit.
package struct HistoryUse: Sendable, Equatable {
    /// The day, counted in UTC from the Unix epoch.
    package var day: Int64
    /// The bytes written on that day.
    package var bytes: Int64
    /// The time at which users were last notified that history was not kept.
    package var toldAt: Instant?

    /// The interval between notices that history is not kept, in seconds: one hour.
    package static let noticeSeconds: Int64 = 3600
    /// The log of alerts and faults may exceed the day's bound by the bound divided by this number.
    ///
    /// Alerts and faults are therefore still logged after values have used up the day's bound.
    private static let logPart: Int64 = 4

    /// The number of bytes counted for a record in addition to its values, for its time, its place and its index entry.
    package static let recordBytes = 32
    /// The number of bytes counted for an event in addition to its value.
    package static let eventBytes = 160

    /// Makes the count of a day.
    package init(day: Int64 = 0, bytes: Int64 = 0, toldAt: Instant? = nil) {
        self.day = day
        self.bytes = bytes
        self.toldAt = toldAt
    }

    /// Counts bytes of history and returns true, unless the total would exceed the day's bound; 0 means no bound.
    package mutating func countValues(_ count: Int, bound: Int64, at now: Instant) -> Bool {
        self.count(Int64(count), upTo: bound, at: now)
    }

    /// Counts bytes of the log of events and returns true, unless the total would exceed the day's bound by more than a
    /// quarter.
    package mutating func countEvent(_ count: Int, bound: Int64, at now: Instant) -> Bool {
        self.count(Int64(count), upTo: bound + bound / Self.logPart, at: now)
    }

    private mutating func count(_ count: Int64, upTo most: Int64, at now: Instant) -> Bool {
        let today = Self.day(of: now)
        if day != today { (day, bytes) = (today, 0) }
        guard most == 0 || bytes + count <= most else { return false }
        bytes += count
        return true
    }

    /// Returns whether to notify users now that history isn't being kept, and if so, records the time.
    package mutating func claimNotice(at now: Instant) -> Bool {
        if let toldAt, toldAt <= now, now < toldAt.adding(seconds: Self.noticeSeconds) { return false }
        toldAt = now
        return true
    }

    /// Returns the beginning of the next day, when history is kept again.
    package static func resumesAt(after now: Instant) -> Instant {
        Instant(milliseconds: (day(of: now) + 1) * 86_400_000)
    }

    private static func day(of now: Instant) -> Int64 { now.milliseconds / 86_400_000 }
}
