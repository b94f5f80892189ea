/// How many records the history took of a device's newest day, and of the day before it, by the records' own times.
///
/// It lies in the row of the device's status, beside `HistoryUse`. Both numbers are complete, since they begin with the
/// first record of a day: what is stored of the two days must be as many.
package struct HistoryCount: Sendable, Equatable {
    /// The newest day of which there was a record, counted in UTC from the Unix epoch.
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

    /// Counts a record of a time; one that is older than both days is not counted.
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
