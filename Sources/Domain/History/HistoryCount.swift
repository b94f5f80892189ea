/// The number of history records of a device's newest day and of the day before, by the records' own times.
///
/// It is stored in the row of the device's status, beside `HistoryUse`. Counting begins with the first record of a day,
/// so the history must hold exactly as many records of the two days.
package struct HistoryCount: Sendable, Equatable {
    /// The newest day with a record, counted in UTC from the Unix epoch.
    package var day: Int64
    /// The records of that day.
    package var records: Int64
    /// The records of the day before.
    package var recordsBefore: Int64

    /// Makes a count.
    package init(day: Int64 = 0, records: Int64 = 0, recordsBefore: Int64 = 0) {
        self.day = day
        self.records = records
        self.recordsBefore = recordsBefore
    }

    /// Counts a record by its time; one that is older than both days is not counted.
    package mutating func add(_ ts: Instant) {
        let new = ts.milliseconds / 86_400_000
        if new > day {
            (recordsBefore, records) = (new == day + 1 ? records : 0, 1)
            day = new
        } else if new == day, ts.milliseconds >= 0 {
            records += 1
        } else if new == day - 1, ts.milliseconds >= 0 {
            recordsBefore += 1
        }
    }

    /// The days with their numbers of records, the newer one first.
    package var days: [(day: Int64, records: Int64)] { [(day, records), (day - 1, recordsBefore)] }
}
