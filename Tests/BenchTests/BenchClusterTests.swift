import Testing

@testable import Bench

@Suite("The goals of bench cluster")
struct BenchClusterTests {
    private func isMet(
        _ perSecond: [Double],
        _ microseconds: [Double],
        delay: Double = 30,
        deadlocks: Int = 0,
        unsorted: Int = 3
    ) -> Bool {
        let processes = [1, 2, 4, 8]
        var result = BenchResult("cluster") { _ in }
        for (count, figures) in zip(processes, zip(perSecond, microseconds)) {
            result.addSpeed(of: count, figures.0, microseconds: figures.1)
        }
        result.addCommands([20, 20], processes: 1)
        result.addCommands([delay, delay], processes: 2)
        result.addDeadlocks(deadlocks, isSorted: true)
        result.addDeadlocks(unsorted, isSorted: false)
        result.goals = BenchCluster.goals(result, processes: processes, overlap: 60)
        return result.isMet
    }

    @Test("Eight processes meet the goals with 6.4 times the throughput at a fifth more cost for each")
    func meets() {
        #expect(isMet([100, 160, 320, 640], [50, 50, 55, 60]))
    }

    @Test("Lower throughput, higher cost, longer delays, a deadlock, or a control without deadlocks misses the goals")
    func misses() {
        #expect(!isMet([100, 160, 320, 630], [50, 50, 55, 60]))
        #expect(!isMet([100, 160, 320, 640], [50, 50, 55, 61]))
        #expect(!isMet([100, 160, 320, 640], [50, 50, 55, 60], delay: 31))
        #expect(!isMet([100, 160, 320, 640], [50, 50, 55, 60], deadlocks: 1))
        #expect(!isMet([100, 160, 320, 640], [50, 50, 55, 60], unsorted: 0))
    }
}
