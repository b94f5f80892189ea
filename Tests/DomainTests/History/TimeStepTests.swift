import Domain
import TestKit
import Testing

@Suite("Steps of time")
struct TimeStepTests {
    /// Returns a time zone whose offset changes at the given times.
    private static func zone(
        _ first: Int64,
        _ changes: [(at: Int64, offset: Int64)]
    ) -> TimeStep.Offset {
        { moment in
            changes.last { $0.at * 1000 <= moment.milliseconds }?.offset ?? first
        }
    }

    /// Berlin's time zone in 2025, with summer time from 30 March to 26 October.
    private static let berlin = zone(3600, [(1_743_296_400, 7200), (1_761_440_400, 3600)])

    private func bounds(_ step: String, _ second: Int64, _ zone: TimeStep.Offset = { _ in 0 }) throws -> [Int64] {
        let step = try #require(TimeStep(step))
        let bounds = step.bounds(of: Instant(milliseconds: second * 1000 + 7), offset: zone)
        return [bounds.lowerBound.milliseconds / 1000, bounds.upperBound.milliseconds / 1000]
    }

    @Test(
        "Only a number with a unit is a step",
        arguments: [
            "", "m", "0m", "1s", "1.5h", "-1d", "1441m", "13M", "1 d", "d1", "١d", "99999m",
        ]
    )
    func refused(_ text: String) {
        #expect(TimeStep(text) == nil)
    }

    @Test("Only charts have steps in seconds, and steps of at most an hour")
    func seconds() throws {
        let step = try #require(TimeStep("15s", isFine: true))
        let bounds = step.bounds(of: Instant(milliseconds: 50_007)) { _ in 0 }

        #expect(bounds.lowerBound.milliseconds == 45_000 && bounds.upperBound.milliseconds == 60_000)
        #expect(TimeStep("3601s", isFine: true) == nil && TimeStep("15s") == nil)
        #expect(TimeStep("15m", isFine: true) == TimeStep("15m"))
    }

    @Test("Steps of minutes and hours are counted from the epoch")
    func fixed() throws {
        #expect(try bounds("15m", 1_700_000_000) == [1_699_999_200, 1_700_000_100])
        #expect(try bounds("1h", 1_700_000_000, Self.berlin) == [1_699_999_200, 1_700_002_800])
        #expect(try bounds("1m", -30) == [-60, 0])
    }

    @Test("A day has 23 hours when clocks go forward, and 25 when they go back")
    func days() throws {
        let spring = try bounds("1d", 1_743_300_000, Self.berlin)
        #expect(spring == [1_743_289_200, 1_743_289_200 + 23 * 3600])
        let autumn = try bounds("1d", 1_761_440_400, Self.berlin)
        #expect(autumn == [1_761_429_600, 1_761_429_600 + 25 * 3600])
        #expect(try bounds("1d", 1_761_429_599, Self.berlin) == [1_761_343_200, 1_761_429_600])
    }

    @Test("A day whose midnight is skipped begins with its first moment") func skippedMidnight() throws {
        // At midnight of day 20000, the clocks go forward to one o'clock.
        let midnight: Int64 = 20_000 * 86_400 - 7200
        let zone = Self.zone(7200, [(midnight, 10_800)])
        #expect(try bounds("1d", midnight + 5, zone) == [midnight, midnight + 23 * 3600])
        #expect(try bounds("1d", midnight - 5, zone) == [midnight - 86_400, midnight])
    }

    @Test("A day whose midnight occurs twice begins at the first one")
    func doubledMidnight() throws {
        // At one o'clock of day 20000, the clocks go back to midnight.
        let change: Int64 = 20_000 * 86_400 + 3600 - 7200
        let zone = Self.zone(7200, [(change, 3600)])
        let start = change - 3600
        #expect(try bounds("1d", start, zone) == [start, start + 25 * 3600])
        #expect(try bounds("1d", change + 10, zone) == [start, start + 25 * 3600])
        #expect(try bounds("1d", start - 1, zone) == [start - 86_400, start])
    }

    @Test("Weeks begin on Monday, and months on the first")
    func weeksAndMonths() throws {
        // 14 November 2023 was a Tuesday.
        #expect(try bounds("1w", 1_700_000_000) == [1_699_833_600, 1_700_438_400])
        #expect(try bounds("1M", 1_700_000_000) == [1_698_796_800, 1_701_388_800])
        // The moments of the next two calls are 29 February of a leap year and the beginning of March.
        #expect(try bounds("1M", 1_709_164_800) == [1_706_745_600, 1_709_251_200])
        #expect(try bounds("1M", 1_709_251_200) == [1_709_251_200, 1_711_929_600])
        #expect(try bounds("3M", 1_700_000_000) == [1_696_118_400, 1_704_067_200])
        #expect(try bounds("1M", -1) == [-2_678_400, 0])
    }

    @Test("Steps follow one another without gaps in any zone", arguments: 0..<40) func gapless(
        _ seed: Int
    ) throws {
        var random = Seed(seed)
        var at: Int64 = 1_600_000_000
        let changes = (0..<6).map { _ in
            at += Int64.random(in: 20...200, using: &random) * 86_400 + 3600
            return (at: at, offset: Int64.random(in: -48...56, using: &random) * 900)
        }
        let zone = Self.zone(0, changes)
        for text in ["1d", "2d", "1w", "1M", "6h", "7m"] {
            let step = try #require(TimeStep(text))
            var moment = Instant(milliseconds: 1_600_000_000_000)
            for _ in 0..<200 {
                let bounds = step.bounds(of: moment, offset: zone)
                #expect(bounds.contains(moment), "\(text) at \(moment)")
                let next = step.bounds(of: bounds.upperBound, offset: zone)
                #expect(next.lowerBound == bounds.upperBound, "\(text) at \(moment)")
                moment = bounds.upperBound
            }
        }
    }
}
