/// A count of a device's history records on the newest day with a record, and on the day before it.
///
/// The count is stored beside `HistoryUse`. For each day, the count must equal the number of records in the history.
package struct HistoryCount: Sendable, Equatable {
    /// The newest day with a record, counted in UTC from the Unix epoch.
    package var day: Int64
    /// The number of records of the newest day.
    package var records: Int64
    /// The number of records of the day before the newest day.
    package var recordsBefore: Int64

    /// Makes a count.
    package init(day: Int64 = 0, records: Int64 = 0, recordsBefore: Int64 = 0) {
        (self.day, self.records, self.recordsBefore) = (day, records, recordsBefore)
    }

    /// Adds a record to the count of the record's day.
    ///
    /// A record that is older than both days isn't counted.
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

    /// The two days with their numbers of records, newest day first.
    package var days: [(day: Int64, records: Int64)] { [(day, records), (day - 1, recordsBefore)] }
}
