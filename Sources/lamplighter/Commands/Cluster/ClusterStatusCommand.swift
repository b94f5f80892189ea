import ArgumentParser
import Domain
import JSON
import Problems
import Service
import Storage
import Workers

/// `cluster status`: the processes, and the holder of each lane.
struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the processes that share the work, and which process holds which lane.",
        discussion: """
            lamplighter cluster status
            lamplighter cluster status --json
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard place.store.isShared else { throw Problem.storeNotShared() }
        let status = try ClusterView(place.store)
        if output.json { return Terminal.show(status.json) }
        print(status.nodeTable)
        print("")
        print(status.laneTable)
    }
}

/// The processes and lanes of a database, as `cluster status` shows them.
private struct ClusterView {
    /// One process.
    private struct Node {
        var name: String
        var version: String
        var lanes: Int
        var lastSeenAt: Instant
        var state: String
    }

    /// One lane.
    private struct Entry {
        var lane: Lane
        var node: String?
        var epoch: Int64
        var outbox: Int64
        /// The age of the oldest waiting message, in milliseconds.
        var lag: Int64
    }

    private let nodes: [Node]
    private let lanes: [Entry]

    init(_ store: Store) throws {
        let (nodes, leases, now) = try store.coordinate {
            (try $0.nodes.all(), try $0.leases.all(), try $0.nodes.now())
        }
        let lags = try store.read { try $0.outbox.lags() }
        let held = leases.filter(\.isHeld)
        self.nodes = nodes.map { node in
            let state = node.untilAt <= now ? "gone" : node.isDraining ? "draining" : "alive"
            let seen = node.untilAt.adding(seconds: -ClusterTiming.lifetime.components.seconds)
            return Node(
                name: node.name,
                version: node.version,
                lanes: held.count { $0.node == node.id },
                // A process whose end was noticed before its time was over has no time left.
                lastSeenAt: max(seen, node.startedAt),
                state: state
            )
        }
        let names = Dictionary(nodes.map { ($0.id, $0.name) }) { first, _ in first }
        lanes = leases.compactMap { lease in
            guard let worker = WorkerName(rawValue: lease.worker) else { return nil }
            let lane = LanePlan.shared.lane(of: worker, number: lease.lane)
            let lag = lags[lane.name]
            return Entry(
                lane: lane,
                node: lease.isHeld ? lease.node.flatMap { names[$0] } : nil,
                epoch: lease.epoch,
                outbox: lag?.rows ?? 0,
                lag: lag.map { max(0, now.milliseconds - $0.since.milliseconds) } ?? 0
            )
        }
    }

    var json: JSONValue {
        [
            "nodes": .array(
                nodes.map { node in
                    [
                        "name": .string(node.name), "version": .string(node.version),
                        "lanes": .integer(Int64(node.lanes)),
                        "lastSeenAt": .integer(node.lastSeenAt.milliseconds),
                        "state": .string(node.state),
                    ]
                }
            ),
            "lanes": .array(
                lanes.map { entry in
                    [
                        "worker": .string(entry.lane.worker.rawValue),
                        "lane": .integer(Int64(entry.lane.number)),
                        "node": entry.node.map { .string($0) } ?? .null,
                        "epoch": .integer(entry.epoch), "outbox": .integer(entry.outbox),
                        "lagMilliseconds": .integer(entry.lag),
                    ]
                }
            ),
        ]
    }

    var nodeTable: String {
        var table = TextTable(["PROCESS", "VERSION", "LANES", "STATE", "LAST SEEN"])
        for node in nodes {
            table.add([
                node.name, node.version, "\(node.lanes)", node.state, TimeText.of(node.lastSeenAt),
            ])
        }
        return table.text
    }

    var laneTable: String {
        var table = TextTable(["LANE", "PROCESS", "EPOCH", "OUTBOX", "BEHIND"])
        for entry in lanes {
            table.add([
                entry.lane.name, entry.node ?? "-", "\(entry.epoch)", "\(entry.outbox)",
                entry.lag == 0 ? "-" : "\((entry.lag + 999) / 1000) s",
            ])
        }
        return table.text
    }
}
