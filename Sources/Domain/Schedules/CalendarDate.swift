/// A day of the Gregorian calendar, independent of time zones.
package struct CalendarDate: Hashable, Comparable, Sendable {
    /// The number of days since 1970-01-01, which is negative for earlier days.
    package let day: Int64

    /// Makes a date from the number of days since 1970-01-01.
    package init(day: Int64) {
        self.day = day
    }

    /// Makes a date, or returns nil if the calendar has no such day.
    package init?(year: Int64, month: Int64, dayOfMonth: Int64) {
        guard (1...12).contains(month), dayOfMonth >= 1, dayOfMonth <= Self.length(ofMonth: month, year: year) else {
            return nil
        }
        day = Self.day(year: year, month: month, dayOfMonth: dayOfMonth)
    }

    /// Parses a date such as `1990-01-31`, or returns nil for any other form or a day that doesn't exist.
    package init?(_ text: String) {
        guard text.utf8.count == 10 else { return nil }
        self.init(written: text)
    }

    /// Parses a date such as `1990-1-1` or `1990-01-01`, or returns nil for other text or a nonexistent day.
    package init?(written text: String) {
        let parts = text.utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].count == 4, (1...2).contains(parts[1].count),
            (1...2).contains(parts[2].count),
            let year = Digits.number(parts[0]), year >= 1, let month = Digits.number(parts[1]),
            let dayOfMonth = Digits.number(parts[2])
        else { return nil }
        self.init(year: year, month: month, dayOfMonth: dayOfMonth)
    }

    package static func < (left: Self, right: Self) -> Bool { left.day < right.day }

    /// Returns the date that is `days` days later.
    package func adding(days: Int64) -> CalendarDate { CalendarDate(day: day + days) }

    /// The day of the week, from 1 for Monday to 7 for Sunday.
    package var weekday: Int64 { ((day + 3) % 7 + 7) % 7 + 1 }

    /// The year, the month, and the day of the month.
    package var parts: (year: Int64, month: Int64, dayOfMonth: Int64) {
        // Days are counted in eras of 400 years from 0000-03-01. Each year begins in March, so a leap day is the year's
        // last day.
        let shifted = day + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra =
            (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let dayOfMonth = dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfMonth)
    }

    /// Returns the number of days from 1970-01-01 to a day that exists in the calendar.
    static func day(year: Int64, month: Int64, dayOfMonth: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = (shifted >= 0 ? shifted : shifted - 399) / 400
        let yearOfEra = shifted - era * 400
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + dayOfMonth - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        return era * 146_097 + dayOfEra - 719_468
    }

    /// Returns whether a year is a leap year.
    package static func isLeap(_ year: Int64) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    /// Returns the number of days in a month.
    package static func length(ofMonth month: Int64, year: Int64) -> Int64 {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }
}

extension CalendarDate: CustomStringConvertible {
    /// The date in the form `yyyy-MM-dd`.
    package var description: String {
        let (year, month, dayOfMonth) = parts
        return "\(Digits.text(year, width: 4))-\(Digits.text(month, width: 2))"
            + "-\(Digits.text(dayOfMonth, width: 2))"
    }
}

/// The conversion of decimal digits to numbers and back.
enum Digits {
    /// Returns the number that ASCII digits represent, or nil if a byte isn't a digit.
    static func number(_ bytes: some Collection<UInt8>) -> Int64? {
        var number: Int64 = 0
        for byte in bytes {
            guard byte.isDigit else { return nil }
            number = number * 10 + Int64(byte - UInt8(ascii: "0"))
        }
        return bytes.isEmpty ? nil : number
    }

    /// Returns a number as text, with leading zeros up to a given width.
    static func text(_ number: Int64, width: Int) -> String {
        let digits = "\(number)"
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }
}
