import Testing

@testable import Simulate

@Suite("Reports that a device keeps until their answers")
struct KeptReportsTests {
    private func kept(_ count: Int) -> KeptReports {
        var kept = KeptReports()
        for number in 0..<count { kept.append("r\(number)", [UInt8(number)], at: 0) }
        return kept
    }

    @Test("At most 16 reports are in flight, and each answer lets the next one go")
    func underWay() {
        var reports = kept(20)
        #expect(reports.due(at: 0).payloads == (0..<16).map { [$0] })
        #expect(reports.due(at: 1).payloads.isEmpty)
        // The first answer is for an unsent report. The other two are for one sent report.
        let settled = ["r16", "r3", "r3"].map { reports.settle($0) }
        #expect(settled == [false, true, false])
        #expect(reports.due(at: 2).payloads == [[16]])
    }

    @Test("A report is repeated after 5 s, and then after twice the previous delay, up to 5 minutes") func repeats() {
        var reports = kept(1)
        #expect(reports.due(at: 0).repeats == 0)
        var now: Int64 = 0
        for pause in [5, 10, 20, 40, 80, 160, 300, 300] as [Int64] {
            #expect(reports.due(at: now + pause * 790).payloads.isEmpty)
            now += pause * 1210
            #expect(reports.due(at: now).repeats == 1)
        }
        let isSettled = reports.settle("r0")
        #expect(isSettled && reports.isEmpty)
        #expect(reports.due(at: .max).payloads.isEmpty)
    }

    @Test("Devices that sent at the same moment repeat at different moments")
    func jitter() {
        let moments = (0..<50).map { _ in
            var reports = kept(1)
            _ = reports.due(at: 0)
            return (4000...6000).first { moment in !reports.due(at: moment).payloads.isEmpty }
        }
        #expect(Set(moments).count > 25 && !moments.contains(nil))
    }

    @Test("A new connection sends the reports in flight at once, and no others")
    func reconnection() {
        var reports = kept(20)
        _ = reports.due(at: 0)
        reports.sendAgain(at: 100)
        #expect(reports.due(at: 100).repeats == 16)
        #expect(reports.due(at: 4000).payloads.isEmpty)
    }
}
