/// The bytes that a device wrote into its history on one day, counted so that no device fills the disk.
///
/// It is stored in the row of the device's status, which every report saves anyway: it needs no extra statement or
/// memory, and survives restarts.
///
/// 64 MiB a day are 776 bytes a second, day and night: a report of twenty values each second. A device that sends as
/// fast as the gate allows (256 KiB a second) reaches the limit after four minutes. In the 30 days for which history is
/// kept it fills at most 1.9 GiB, instead of 630.
package struct HistoryUse: Sendable, Equatable {
    /// The day, counted in UTC from the Unix epoch.
    package var day: Int64
    /// The bytes written on that day.
    package var bytes: Int64
    /// The time at which users were last notified that history was not kept.
    package var toldAt: Instant?

    /// The interval between notices that history is not kept, in seconds: one hour.
    package static let noticeSeconds: Int64 = 3600
    /// The divisor for the share by which the log of alerts and faults may exceed the bound.
    ///
    /// The log continues after values have used up the day, but is bounded too.
    private static let logPart: Int64 = 4

    /// The bytes counted for a record beyond its values: its time, its place, its part of an index.
    package static let recordBytes = 32
    /// The bytes counted for an event beyond its value.
    package static let eventBytes = 160

    /// Makes the use of a day.
    package init(day: Int64 = 0, bytes: Int64 = 0, toldAt: Instant? = nil) {
        self.day = day
        self.bytes = bytes
        self.toldAt = toldAt
    }

    /// Counts bytes of the history unless they exceed the day's bound; 0 means unbounded.
    package mutating func countValues(_ count: Int, bound: Int64, at now: Instant) -> Bool {
        self.count(Int64(count), upTo: bound, at: now)
    }

    /// Counts bytes of the log of events, which may exceed the bound by a quarter.
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

    /// Returns whether to notify users now that history is not kept, and records the notice.
    package mutating func claimNotice(at now: Instant) -> Bool {
        if let toldAt, toldAt <= now, now < toldAt.adding(seconds: Self.noticeSeconds) { return false }
        toldAt = now
        return true
    }

    /// Returns when history is kept again: the beginning of the next day.
    package static func resumesAt(after now: Instant) -> Instant {
        Instant(milliseconds: (day(of: now) + 1) * 86_400_000)
    }

    private static func day(of now: Instant) -> Int64 { now.milliseconds / 86_400_000 }
}
