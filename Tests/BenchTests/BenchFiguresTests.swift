import ServiceSettings
import Testing

@testable import Bench

/// What benchmarks make of what they saw.
@Suite struct BenchFiguresTests {
    @Test("Of fewer than 200 answers the second slowest counts as the 99th percentile")
    func percentileOfFew() {
        #expect(BenchGoal.percentile99([]) == 0)
        #expect(BenchGoal.percentile99([7]) == 7)
        #expect(BenchGoal.percentile99([9, 7]) == 7)
        #expect(BenchGoal.percentile99((1...199).map(Double.init)) == 198)
        #expect(BenchGoal.percentile99((1...1001).map(Double.init)) == 991)
    }

    @Test("An attack of less than ten seconds tells what was written, and nothing of a minute")
    func shortAttack() {
        var disk = AbuseDisk()
        disk.add(40, at: 0)
        disk.add(61, at: 4)

        #expect(disk.written == 21)
        #expect(disk.aMinute(seconds: 4) == nil)
        #expect(disk.aMinute(seconds: 59) == nil)
    }

    @Test("Of an attack of minutes the minute counts in which most was written")
    func worstMinute() {
        var disk = AbuseDisk()
        for second in 0...180 {
            disk.add(second < 60 ? 0 : Double(min(second - 60, 60)), at: Double(second))
        }

        #expect(disk.aMinute(seconds: 180) == 60)
    }

    @Test("An attack that missed nothing but a time is late, one that lost an answer is not")
    func late() throws {
        let attack = try #require(AbuseAttack.all.first)
        var finding = AbuseFinding(attack, seconds: 4, slower: 1)
        finding.cut = 100
        #expect(finding.isMet)

        finding.lanes = [.whoami: AbuseLane(delays: [500, 500])]
        #expect(finding.isLate)

        finding.lanes[.whoami]?.unanswered = 1
        #expect(!finding.isMet && !finding.isLate)
    }

    @Test("Only times become longer for a slow build")
    func slower() throws {
        let attack = try #require(AbuseAttack.all.first)
        var finding = AbuseFinding(attack, seconds: 4, slower: 10)
        finding.cut = 5000
        finding.lanes = [.report: AbuseLane(delays: [500, 500])]
        #expect(finding.isMet)

        finding.grown = 101
        #expect(!finding.isMet && !finding.isLate)
    }

    @Test("An overload that is far from the requested rate does not count")
    func rate() {
        var finding = OverloadFinding("freeze")
        (finding.lost, finding.wanted) = (0, 1000)
        (finding.before, finding.during, finding.after) = (
            OverloadDelays([1]), OverloadDelays([1]), OverloadDelays([1])
        )
        for (rate, isMet) in [(950.0, true), (1090, true), (880, false), (1200, false)] {
            finding.rate = rate
            #expect(finding.isMet == isMet, "\(rate)")
        }
    }

    @Test("Each attack has a control of settings that exist, or says why it has none")
    func controls() {
        for attack in AbuseAttack.all {
            #expect(attack.control.isEmpty == (attack.whyNoControl != nil), "\(attack.name)")
            for text in attack.control {
                let key = String(text.prefix { $0 != "=" })
                #expect(SettingsTable.setting(key) != nil, "\(key)")
            }
        }
    }
}
