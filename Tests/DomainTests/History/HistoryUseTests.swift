import Testing

@testable import Domain

@Suite("The daily limit of a device's history")
struct HistoryUseTests {
    /// Noon of some day in UTC.
    private static let noon = Instant(milliseconds: 1_700_049_600_000)

    struct Step: CustomTestStringConvertible, Sendable {
        var name: String
        /// The number of bytes that the device has already used on this day.
        var used: Int64
        var count: Int
        var bound: Int64 = 1000
        var isEvent = false
        /// This step's time, in hours after noon.
        var hours: Int64 = 0
        var isTaken: Bool
        var left: Int64
        var testDescription: String { name }
    }

    static let steps = [
        Step(name: "some of it", used: 0, count: 400, isTaken: true, left: 400),
        Step(name: "exactly all", used: 600, count: 400, isTaken: true, left: 1000),
        Step(name: "a byte too many", used: 601, count: 400, isTaken: false, left: 601),
        Step(name: "a small one behind it", used: 601, count: 1, isTaken: true, left: 602),
        Step(name: "without a bound", used: 9999, count: 1, bound: 0, isTaken: true, left: 10_000),
        Step(name: "before midnight", used: 1000, count: 1, hours: 11, isTaken: false, left: 1000),
        Step(name: "the next day", used: 1000, count: 7, hours: 12, isTaken: true, left: 7),
        Step(name: "a clock set back", used: 1000, count: 7, hours: -24, isTaken: true, left: 7),
        Step(name: "an event", used: 1000, count: 250, isEvent: true, isTaken: true, left: 1250),
        Step(name: "an event more", used: 1250, count: 1, isEvent: true, isTaken: false, left: 1250),
    ]

    @Test("Records are counted up to the limit, and dropped beyond it", arguments: steps)
    func take(_ step: Step) {
        var use = HistoryUse()
        _ = use.countValues(Int(step.used), bound: 0, at: Self.noon)
        let now = Self.noon.adding(seconds: step.hours * 3600)
        let isTaken =
            step.isEvent
            ? use.countEvent(step.count, bound: step.bound, at: now)
            : use.countValues(step.count, bound: step.bound, at: now)

        #expect(isTaken == step.isTaken)
        #expect(use.bytes == step.left)
    }

    @Test("Users are notified once an hour, and at once after the clock was set back")
    func tells() {
        var use = HistoryUse()
        let told = [0, 1, 3599, 3600, 3601, 7199, 7200, -5].map { seconds in
            use.claimNotice(at: Self.noon.adding(seconds: seconds))
        }
        #expect(told == [true, false, false, true, false, false, true, true])
    }

    @Test("The history continues at midnight")
    func resumes() {
        #expect(HistoryUse.resumesAt(after: Self.noon) == Self.noon.adding(seconds: 43_200))
    }
}
