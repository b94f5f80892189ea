/// The number of bytes of history that a device wrote on one day.
///
/// The number is limited, because a single device could otherwise fill the disk. The count survives restarts, because
/// it is saved with the device's status after each report.
///
/// With a limit of 64 MiB per day, a device can write 776 bytes per second. That is about one report of twenty values
/// per second. The gate allows a device to send 256 KiB per second. A device that sends at this rate reaches the limit
/// after about four minutes. In 30 days, such a device writes 1.9 GiB of history. Without the limit, it would write
/// 630 GiB.
package struct HistoryUse: Sendable, Equatable {
    /// The day, counted in UTC from the Unix epoch.
    package var day: Int64
    /// The bytes written on that day.
    package var bytes: Int64
    /// The time at which users were last notified that history was not being kept.
    package var toldAt: Instant?

    /// The minimum number of seconds between two notices that tell users that history isn't being kept.
    package static let noticeSeconds: Int64 = 3600
    /// The divisor that turns a day's bound into the extra bytes that only alerts and faults may use.
    private static let logPart: Int64 = 4

    /// The bytes counted for a record's time, position and index entry, besides its values.
    package static let recordBytes = 32
    /// The number of bytes counted for an event in addition to its value.
    package static let eventBytes = 160

    /// Makes the count of a day.
    package init(day: Int64 = 0, bytes: Int64 = 0, toldAt: Instant? = nil) {
        (self.day, self.bytes, self.toldAt) = (day, bytes, toldAt)
    }

    /// Adds bytes of history, or returns false if the day's total would exceed `bound`.
    ///
    /// If `bound` is 0, there is no bound.
    package mutating func countValues(_ count: Int, bound: Int64, at now: Instant) -> Bool {
        self.count(Int64(count), upTo: bound, at: now)
    }

    /// Adds bytes of events, or returns false if the total would exceed 5/4 of `bound`.
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

    /// Returns whether to notify users of missing history, and if so, records the time.
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
