import ArgumentParser
import Domain
import Load
import Storage
import Workers

/// Measures commands' round trips, from an app to a device and back: `lamplighter-bench commands`.
///
/// A round trip has four messages. The benchmark compares three paths of these messages. One path is through the
/// service, and another is through the bare broker. The third path is through the bare broker with a wait for the disk.
/// Reports of a device with very many users may slow other devices' commands. The benchmark measures this effect too.
extension BenchCommands {
    func validate() throws {
        guard devices > 0, users > 0, rate > 0, rounds > 0, seconds > 0 else {
            throw ValidationError("every number must be greater than 0")
        }
    }

    private enum Part: String, CaseIterable {
        case bare, flushed, service, crowd

        /// The consumer that replaces the service in this measurement, or nil for the service itself.
        var consumer: BenchConsumer.Kind? {
            switch self {
            case .bare: .hops
            case .flushed: .flushedHops
            case .service, .crowd: nil
            }
        }

        var title: String {
            switch self {
            case .bare: "four hops through the bare broker"
            case .flushed: "the same, each message passed on once this disk has 20 KB more"
            case .service: "through Lamplighter"
            case .crowd: "the same beside a report a second to all users"
            }
        }
    }

    func measure(in folder: String) async throws -> BenchResult {
        var result = BenchResult(
            "\(Int(rate)) commands/s to \(devices) devices, \(rounds) rounds of \(seconds) s, medians"
        )
        try await BenchField(devices: devices, terminals: users, in: folder + "/commands").use { field in
            let crowd = try gather(field)
            for round in 1...rounds {
                tell("round \(round)")
                for part in Part.allCases {
                    let delays = try await BenchProcess.start(part.consumer, field).use { _ in
                        try await roundTrips(field, crowd: part == .crowd ? crowd : nil)
                    }
                    result.add(part.title, delays: delays, at: "milliseconds.\(part.rawValue)")
                }
            }
        }
        return result
    }

    /// Binds one more device to all users, and returns that device.
    private func gather(_ field: BenchField) throws -> LoadDevice {
        guard let crowd = field.seed.unbound.first else {
            throw LoadError.failed("there is no device left for the crowd")
        }
        try field.store.batch(at: SystemClock().now) { tx in
            try tx.lockAll()
            for terminal in field.seed.terminals {
                try tx.bind(DeviceID(trusted: crowd.did), to: terminal.uid, as: .normal)
            }
        }
        return crowd
    }

    /// Returns the durations of commands' round trips in milliseconds.
    private func roundTrips(_ field: BenchField, crowd: LoadDevice?) async throws -> [Double] {
        let count = field.seed.terminals.count
        let load = CommandLoad(
            devices: field.seed.bound,
            terminals: field.seed.terminals,
            owners: field.seed.bound.indices.map { (devices + $0) % count },
            crowd: crowd,
            root: field.root
        )
        return try await load.roundTrips(port: field.port, pause: .seconds(2), seconds: seconds, rate: rate)
    }

    func goals(_ result: BenchResult) -> [BenchGoal] {
        let p99 = { (part: Part) in result["milliseconds.\(part.rawValue).p99"] }
        let beside = "round trip p99 beside \(users) users of one device / alone"
        return [
            BenchGoal("round trip p99 / bare broker", p99(.service) / p99(.bare), atMost: 2.5),
            BenchGoal(beside, p99(.crowd) / p99(.service), atMost: 2),
        ]
    }
}
