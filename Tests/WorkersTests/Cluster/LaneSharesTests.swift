import Batching
import Domain
import Testing

@testable import Workers

@Suite("Shares of lanes")
struct LaneSharesTests {
    @Test(
        "A process takes up to its share of free lanes, and releases one if others have fewer",
        arguments: [
            // The first process takes all 32 lanes. The second process finds no free lane, so the first gives up lanes
            // one by one.
            (32, 32, 0, [], .init(take: 32)), (32, 0, 32, [0], .init(give: 1)), (32, 1, 0, [31], .init(take: 1)),
            (32, 0, 16, [16], .init()),
            // Two processes share the lanes of a third process, which has ended.
            (32, 10, 11, [11], .init(take: 5)), (32, 1, 16, [15], .init()), (8, 2, 3, [3], .init(take: 1)),
            // If the lanes don't divide evenly, a process keeps at most one extra lane.
            (4, 0, 2, [2, 0], .init(give: 1)), (4, 0, 1, [2, 1], .init()),
            // Two processes have given up lanes for a third process, and leave that process its share.
            (4, 2, 1, [1, 0], .init(take: 1)), (4, 1, 2, [1, 0], .init(give: 1)), (8, 2, 3, [3, 0], .init(give: 1)),
            (8, 1, 2, [3, 1], .init()), (1, 1, 0, [0, 0], .init(take: 1)), (1, 0, 1, [0, 0], .init()),
            (1, 1, 0, [], .init(take: 1)),
        ] as [(Int, Int, Int, [Int], LaneShares.Step)]
    )
    func steps(_ total: Int, _ free: Int, _ own: Int, _ others: [Int], _ step: LaneShares.Step) {
        let shares = LaneShares(total: total, free: free, own: own, others: others)
        #expect(shares.step == step)
    }

    @Test("A process that is being drained releases all lanes, unless it is the only process") func draining() {
        var shares = LaneShares(total: 8, free: 2, own: 4, others: [2], isDraining: true)
        #expect(shares.step == .init(give: 4))
        shares.others = []
        #expect(shares.step == .init())
    }

    @Test(
        "However many processes come and go, all lanes end up leased and evenly shared",
        arguments: [1, 2, 4, 8, 32]
    )
    func settles(_ total: Int) {
        for count in 1...9 {
            var held = [total] + Array(repeating: 0, count: count - 1)
            var free = 0
            for turn in 0..<(total * count * 4) {
                let place = turn % count
                var others = held
                others.remove(at: place)
                let step = LaneShares(total: total, free: free, own: held[place], others: others).step
                held[place] += step.take - step.give
                free += step.give - step.take
            }
            #expect(free == 0 && held.reduce(0, +) == total)
            let (least, most) = (held.min() ?? 0, held.max() ?? 0)
            #expect(most - least <= 1, "\(held)")
        }
    }
}

@Suite("Lanes")
struct LaneTests {
    @Test("A single process's lanes have the workers' names, and several lanes are numbered")
    func names() {
        #expect(LanePlan.alone.lanes(of: .status).map(\.clientID) == ["svc.lamplighter.status"])
        let names = LanePlan.shared.lanes(of: .control).map(\.name)
        #expect(names == (0..<8).map { "control.0\($0)" })
        #expect(LanePlan.shared.lanes(of: .session).map(\.name) == ["session"])
        #expect(LanePlan.shared.lane(of: .status, for: "d-000000000004f").name == "status.15")
    }

    @Test("Each worker's lanes cover each shard once", arguments: WorkerName.allCases)
    func shards(_ worker: WorkerName) {
        let members = LanePlan.shared.lanes(of: worker).flatMap(\.shards.members)
        #expect(members.sorted() == Array(0...UInt8.max))
    }
}
