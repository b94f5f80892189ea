import Domain
import Testing

@Suite("When schedules run")
struct ScheduleRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var zone: String
        var days: Timing.Days
        var time: String
        var after: String
        var due: [String]
        var testDescription: String { name }
    }

    private static let daily = Timing.Days.weekly([1, 2, 3, 4, 5, 6, 7])

    static let table = [
        Case(
            name: "a skipped time is the end of the gap",
            zone: "Europe/Berlin",
            days: daily,
            time: "02:30",
            after: "2026-03-28T00:00",
            due: ["2026-03-28T01:30", "2026-03-29T01:00", "2026-03-30T00:30"]
        ),
        Case(
            name: "a time that occurs twice is the first",
            zone: "Europe/Berlin",
            days: daily,
            time: "02:30",
            after: "2026-10-24T00:30",
            due: ["2026-10-25T00:30", "2026-10-26T01:30"]
        ),
        Case(
            name: "a gap of half an hour",
            zone: "Australia/Lord_Howe",
            days: daily,
            time: "02:15",
            after: "2026-10-02T20:00",
            due: ["2026-10-03T15:30", "2026-10-04T15:15"]
        ),
        Case(
            name: "half an hour that occurs twice",
            zone: "Australia/Lord_Howe",
            days: daily,
            time: "01:45",
            after: "2026-04-03T15:00",
            due: ["2026-04-04T14:45", "2026-04-05T15:15"]
        ),
        Case(
            name: "a day that the calendar skips",
            zone: "Pacific/Apia",
            days: daily,
            time: "10:00",
            after: "2011-12-29T00:00",
            due: ["2011-12-29T20:00", "2011-12-30T10:00", "2011-12-30T20:00"]
        ),
        Case(
            name: "a date that the calendar skips",
            zone: "Pacific/Apia",
            days: .once(CalendarDate(day: 15_338)),
            time: "10:00",
            after: "2011-12-01T00:00",
            due: ["2011-12-30T10:00"]
        ),
        Case(
            name: "an offset of three quarters of an hour",
            zone: "Asia/Kathmandu",
            days: .weekly([1]),
            time: "06:00",
            after: "2026-11-21T00:00",
            due: ["2026-11-23T00:15", "2026-11-30T00:15"]
        ),
        Case(
            name: "a zone that changed its rules",
            zone: "Europe/Istanbul",
            days: .monthly([1]),
            time: "12:00",
            after: "2016-01-02T00:00",
            due: [
                "2016-02-01T10:00", "2016-03-01T10:00", "2016-04-01T09:00", "2016-05-01T09:00",
            ]
        ),
        Case(
            name: "a year far ahead, by the rule at the end of the data",
            zone: "America/New_York",
            days: .weekly([7]),
            time: "02:30",
            after: "2226-03-08T12:00",
            due: ["2226-03-12T07:00", "2226-03-19T06:30"]
        ),
        Case(
            name: "months without the 31st are skipped",
            zone: "UTC",
            days: .monthly([31]),
            time: "00:00",
            after: "2026-01-31T00:00",
            due: ["2026-03-31T00:00", "2026-05-31T00:00", "2026-07-31T00:00"]
        ),
        Case(
            name: "the leap day",
            zone: "UTC",
            days: .monthly([29]),
            time: "23:59",
            after: "2028-01-30T00:00",
            due: ["2028-02-29T23:59", "2028-03-29T23:59"]
        ),
        Case(
            name: "no leap day",
            zone: "UTC",
            days: .monthly([29, 30]),
            time: "00:00",
            after: "2100-01-30T00:00",
            due: ["2100-03-29T00:00", "2100-03-30T00:00"]
        ),
        Case(
            name: "one time only",
            zone: "UTC",
            days: .once(CalendarDate(day: 20_000)),
            time: "12:00",
            after: "2024-10-04T11:59",
            due: ["2024-10-04T12:00"]
        ),
        Case(
            name: "an occurrence lies after the moment, not at it",
            zone: "UTC",
            days: .weekly([6]),
            time: "12:00",
            after: "2026-11-21T12:00",
            due: ["2026-11-28T12:00"]
        ),
    ]

    @Test("The next occurrence is computed", arguments: table)
    func next(_ row: Case) throws {
        let time = try #require(DayTime(row.time))
        let timing = Timing(days: row.days, time: time, zone: row.zone)
        let zone = Zones.rules(row.zone)

        var found: [Instant] = []
        var after = utc(row.after)
        for _ in row.due {
            guard
                let next = ScheduleRules.next(of: timing, after: after, zone: zone, place: nil)
            else { break }
            found.append(next)
            after = next
        }

        #expect(found == row.due.map { utc($0) })
        if case .once = row.days {
            #expect(ScheduleRules.next(of: timing, after: after, zone: zone, place: nil) == nil)
        }
    }

    @Test("A schedule's list contains its occurrences and nothing between them")
    func contains() throws {
        let zone = Zones.rules("Europe/Berlin")
        let timing = Timing(days: .weekly([7]), time: .clock(150), zone: "Europe/Berlin")
        for (text, isContained) in [
            ("2026-03-29T01:00", true), ("2026-03-29T01:30", false), ("2026-03-29T00:30", false),
            ("2026-10-25T00:30", true), ("2026-10-25T01:30", false), ("2026-10-26T01:30", false),
        ] { #expect(ScheduleRules.contains(utc(text), in: timing, zone: zone, place: nil) == isContained, "\(text)") }
        let odd = Instant(milliseconds: utc("2026-03-29T01:00").milliseconds + 1)
        #expect(!ScheduleRules.contains(odd, in: timing, zone: zone, place: nil))
    }

    @Test("A schedule without a date runs on the first day on which its time is still to come") func firstDay() {
        let zone = Zones.rules("Europe/Berlin")
        func day(_ time: DayTime, _ place: Location? = nil) -> String? {
            ScheduleRules.firstDay(
                time,
                zoneName: "Europe/Berlin",
                after: utc("2026-11-21T16:00"),
                zone: zone,
                place: place
            )?.description
        }
        #expect(day(.clock(17 * 60 + 1)) == "2026-11-21")
        #expect(day(.clock(17 * 60)) == "2026-11-22")
        #expect(day(.sun(.sunset, 0)) == nil)
        let berlin = Location(latitude: 52.52, longitude: 13.405)
        // On that day, the sun set in Berlin at 16:02.
        #expect(day(.sun(.sunset, 59), berlin) == "2026-11-21")
        #expect(day(.sun(.sunset, 0), berlin) == "2026-11-22")
    }

    @Test("Sunrise and sunset agree with almanacs to the minute")
    func almanac() throws {
        // The times are from timeanddate.com and the US Naval Observatory, which state them to the minute.
        let rows: [(String, Double, Double, String, String, String)] = [
            ("Europe/Berlin", 52.52, 13.405, "2026-06-21", "2026-06-21T02:43", "2026-06-21T19:33"),
            ("Europe/Berlin", 52.52, 13.405, "2026-12-21", "2026-12-21T07:15", "2026-12-21T14:54"),
            ("America/New_York", 40.7128, -74.006, "2026-03-20", "2026-03-20T10:59", "2026-03-20T23:08"),
            ("Pacific/Auckland", -36.8485, 174.7633, "2026-12-22", "2026-12-21T16:58", "2026-12-22T07:39"),
        ]
        for (name, latitude, longitude, day, rise, set) in rows {
            let date = try #require(CalendarDate(day))
            for (event, wanted) in [(SunRules.Event.sunrise, rise), (.sunset, set)] {
                let outcome = SunRules.outcome(
                    event,
                    on: date,
                    at: Location(latitude: latitude, longitude: longitude),
                    zone: Zones.rules(name)
                )
                guard case .at(let moment) = outcome else {
                    Issue.record("no \(event) in \(name) on \(day)")
                    continue
                }
                let difference = abs(moment.milliseconds - utc(wanted).milliseconds)
                #expect(difference <= 60_000, "\(event) in \(name) on \(day): \(moment)")
            }
        }
    }

    @Test("Polar days are reported and skipped")
    func polar() throws {
        let zone = Zones.rules("Europe/Oslo")
        let tromso = Location(latitude: 69.6492, longitude: 18.9553)
        let timing = Timing(days: .weekly([1, 2, 3, 4, 5, 6, 7]), time: .sun(.sunset, -30), zone: "Europe/Oslo")

        let winter = ScheduleRules.polar(timing, after: utc("2026-12-10T00:00"), zone: zone, place: tromso)
        let summer = ScheduleRules.polar(timing, after: utc("2026-06-10T00:00"), zone: zone, place: tromso)
        let next = ScheduleRules.next(of: timing, after: utc("2026-12-10T00:00"), zone: zone, place: tromso)

        #expect(winter?.outcome == .polarNight)
        #expect(winter?.date.description == "2026-12-10")
        #expect(summer?.outcome == .polarDay)
        #expect(ScheduleRules.polar(timing, after: utc("2026-10-01T00:00"), zone: zone, place: tromso) == nil)
        #expect(next.map { $0 > utc("2027-01-10T00:00") && $0 < utc("2027-01-20T00:00") } == true)
    }

    @Test("At the pole the search for a sunrise ends in some March")
    func pole() throws {
        let timing = Timing(
            days: .weekly([1, 2, 3, 4, 5, 6, 7]),
            time: .sun(.sunrise, 0),
            zone: "UTC"
        )
        let next = ScheduleRules.next(
            of: timing,
            after: utc("2026-01-01T00:00"),
            zone: .utc,
            place: Location(latitude: 90, longitude: 0)
        )
        let date = try #require(next.map { ZoneRules.utc.date(at: $0.milliseconds / 1000) })
        #expect(date.parts.month == 3 && (16...21).contains(date.parts.dayOfMonth))
    }

    @Test("A time of day is read only in its form")
    func forms() {
        for text in ["00:00", "23:59", "sunrise+00:00", "sunset-01:30", "sunrise-23:59"] {
            #expect(DayTime(text)?.description == text)
        }
        for text in [
            "", "24:00", "7:00", "07:60", "07.00", "noon", "sunrise", "sunrise+1:00",
            "sunset 01:00",
            "sunset+24:00", "07:00:00", " 07:00", "-1:00", "sunrise00:30", "Sunset+00:00", "+7:00",
        ] {
            #expect(DayTime(text) == nil, "\(text)")
        }
        for text in ["2026-02-29", "2026-13-01", "2026-1-1", "0000-01-01", "2026-04-31", "x"] {
            #expect(CalendarDate(text) == nil, "\(text)")
        }
        #expect(CalendarDate("2024-02-29")?.description == "2024-02-29")
        #expect(CalendarDate("9999-12-31")?.description == "9999-12-31")
        #expect(CalendarDate("2026-11-21")?.weekday == 6)
    }

    @Test("Dates and day numbers agree over 800 years")
    func calendar() {
        for day in -146_097...146_097 as ClosedRange<Int64> {
            let date = CalendarDate(day: day)
            let (year, month, dayOfMonth) = date.parts
            let again = CalendarDate(year: year, month: month, dayOfMonth: dayOfMonth)
            guard again == date else {
                Issue.record("\(day) is \(date)")
                return
            }
        }
    }
}

extension ScheduleRules {
    /// Returns whether a time is one of a schedule's occurrences.
    static func contains(_ moment: Instant, in timing: Timing, zone: ZoneRules, place: Location?) -> Bool {
        let before = Instant(milliseconds: moment.milliseconds - 1)
        return next(of: timing, after: before, zone: zone, place: place) == moment
    }
}
