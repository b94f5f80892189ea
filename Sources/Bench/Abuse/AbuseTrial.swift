import Files
import Glibc
import JSON
import Load
import Service

/// One attack on a ground, measured from among the others.
struct AbuseTrial {
    let ground: AbuseGround
    let others: AbuseOthers
    let attack: AbuseAttack
    /// Which attack on this ground it is: each has an account to evict from, a device and an address.
    let number: Int
    let seconds: Double
    /// The factor for all times.
    let slower: Double

    private static let drainSeconds = 15.0

    /// Attacks, waits until nothing of it is left, then burns as much of the processor for comparison.
    ///
    /// - Throws: `LoadError`, or the system's refusal.
    func run() async throws -> AbuseFinding {
        var finding = AbuseFinding(attack, seconds: seconds, slower: slower)
        let beginnings = ground.beginnings
        let base = ground.memory
        others.forget()
        do {
            let hostile = try await start(orders)
            let cut = try phase(2 * number, base: base, &finding)
            finding.tally = await Self.end(hostile)
            finding.cut = cut
            finding.lanes = others.lanes
            finding.aftermath = AbuseAftermath(ground).failures
            others.forget()
            try await burn(&finding)
        } catch let error as LoadError {
            finding.failure = "\(error)"
            finding.lanes = others.lanes
        }
        finding.beginnings = ground.beginnings - beginnings
        finding.stands = ground.stands
        return finding
    }

    /// Runs the honest clients for as long as the attack lasts; halfway an intruder is evicted.
    ///
    /// - Returns: Milliseconds until the intruder was out.
    private func phase(
        _ account: Int,
        base: Double,
        _ finding: inout AbuseFinding
    ) throws -> Double? {
        let accounts = ground.seed.accounts
        let eviction = AbuseEviction(ground, accounts[account % accounts.count])
        try eviction.connect()
        defer { eviction.end() }
        let begin = LoadClock.nanoseconds
        var isEvicting = false
        var looked: Int64 = 0
        var peak = base
        var disk = AbuseDisk()
        disk.add(ground.disk, at: 0)
        try others.live(seconds: seconds) {
            let now = LoadClock.nanoseconds
            if !isEvicting, Double(now - begin) / 1e9 > seconds / 2 {
                isEvicting = true
                eviction.start()
            }
            try eviction.turn()
            if now - looked > 200_000_000 {
                looked = now
                peak = max(peak, ground.memory)
                disk.add(ground.disk, at: Double(now - begin) / 1e9)
            }
        }
        try others.drain(seconds: Self.drainSeconds)
        try eviction.turn()
        disk.add(ground.disk, at: Double(LoadClock.nanoseconds - begin) / 1e9)
        finding.disk = disk
        finding.grown = max(finding.grown, max(peak, ground.memory) - base)
        return eviction.isRefused ? nil : eviction.cut
    }

    private func burn(_ finding: inout AbuseFinding) async throws {
        var orders = ground.orders(.burn, seconds: seconds)
        orders.share = min(1, finding.tally.processorSeconds / seconds)
        let burner = try await start(orders)
        var aside = finding
        finding.cutBurnt = try phase(2 * number + 1, base: ground.memory, &aside)
        finding.burnt = others.lanes
        _ = await Self.end(burner)
    }

    // MARK: The hostile process

    private var orders: HostileOrders {
        var orders = ground.orders(attack.deed, seconds: seconds)
        orders.connections = attack.connections
        orders.addressCount = attack.addresses
        // Each attack comes from elsewhere: what one did must not stop the next.
        orders.address = "127.0.\(number + 1).5"
        orders.rate = attack.rate
        orders.devices = [ground.seed.devices[number % ground.seed.devices.count]]
        if attack.isKnown { orders.terminals = ground.seed.terminals }
        return orders
    }

    private func start(_ orders: HostileOrders) async throws -> BenchProcess {
        try await .hostile(orders, output: ground.directory.path + "/../hostile")
    }

    /// Waits for its end, and reads its tally.
    private static func end(_ process: BenchProcess) async -> HostileTally {
        _ = await process.process.waitForExit()
        let said = TextFile.read(process.output)?.split(separator: "\n").last ?? ""
        return HostileTally(try? JSONValue.parse(Array(said.utf8)))
    }
}
