import Domain
import Testing

@testable import Administration
@testable import Console

@Suite("The rate of reports") struct ReportRateTests {
    private let start = ContinuousClock.now

    @Test("The rate covers the last ten seconds for every reader")
    func steady() {
        var rate = ReportRate()
        #expect(rate.note(1000, at: start) == 0)
        for tenth in 1...300 {
            let shown = rate.note(1000 + Int64(tenth) * 4 / 10, at: start + .milliseconds(tenth * 100))
            if tenth >= 100 { #expect(abs(shown - 4) <= 0.2, "\(tenth)") }
        }
        // When no report has arrived for ten seconds, the rate is 0.
        var last = 0.0
        for second in 31...42 { last = rate.note(1120, at: start + .seconds(second)) }
        #expect(last == 0)
    }

    @Test("If the last look was longer ago, the rate covers the time since then")
    func rare() {
        var rate = ReportRate()
        _ = rate.note(0, at: start)

        #expect(rate.note(7200, at: start + .seconds(3600)) == 2)
        #expect(rate.note(7200, at: start + .milliseconds(3_600_300)) == 2)
        #expect(rate.note(7204, at: start + .seconds(3601)) == 4)
    }
}

@Suite("Lines of the log in the console") struct LogLinesTests {
    private static let lines = [
        (
            #"T notice DEVELOPMENT ONLY channel=email text="Code \"123456\" now" to=ann@example.org"#,
            #"T notice DEVELOPMENT ONLY channel=email text=••• to=a•••@example.org"#
        ),
        ("T notice m text=123456 to=+4915112345678", "T notice m text=••• to=•••78"),
        (
            #"{"message":"m","text":"Code: \"1\"","to":"ann@example.org","level":"info"}"#,
            #"{"message":"m","text":"•••","to":"a•••@example.org","level":"info"}"#
        ),
        ("T info a device came device.id=d-1 at=17", "T info a device came device.id=d-1 at=17"),
    ]

    @Test("Log lines in the console contain no message text, and show addresses only to admins", arguments: lines)
    func masked(_ line: String, _ shown: String) {
        #expect(LogLines.masked(line, withAddresses: false) == shown)
        let whole = LogLines.masked(line, withAddresses: true)
        #expect(!whole.contains("Code") && whole.contains("ann@") == line.contains("ann@"))
    }
}
