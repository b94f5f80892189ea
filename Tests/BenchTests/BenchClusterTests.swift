import Testing

@testable import Bench

@Suite("The goals of bench cluster")
struct BenchClusterTests {
    private func result(_ perSecond: [Double], _ microseconds: [Double]) -> BenchClusterResult {
        var result = BenchClusterResult(options: BenchClusterOptions())
        result.speeds = zip([1, 2, 4, 8], zip(perSecond, microseconds)).map { count, figures in
            .init(processes: count, perSecond: figures.0, microseconds: figures.1)
        }
        result.commands = [1: [20, 20], 2: [30, 30]]
        result.unsortedDeadlocks = 3
        return result
    }

    @Test("Eight processes that do 6.4 times as much at a fifth more for each meet the goals")
    func meets() {
        #expect(result([100, 160, 320, 640], [50, 50, 55, 60]).isMet)
    }

    @Test("Less, dearer, slower or deadlocked misses them, as does a control without deadlocks")
    func misses() {
        #expect(!result([100, 160, 320, 630], [50, 50, 55, 60]).isMet)
        #expect(!result([100, 160, 320, 640], [50, 50, 55, 61]).isMet)
        var other = result([100, 160, 320, 640], [50, 50, 55, 60])
        other.commands[2] = [31, 31]
        #expect(!other.isMet)
        other = result([100, 160, 320, 640], [50, 50, 55, 60])
        other.deadlocks = 1
        #expect(!other.isMet)
        other.deadlocks = 0
        other.unsortedDeadlocks = 0
        #expect(!other.isMet)
    }
}
