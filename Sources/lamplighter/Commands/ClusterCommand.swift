import Administration
import ArgumentParser
import Domain
import JSON
import Problems
import Service
import Storage
import Workers

/// The commands `cluster …` about the processes that share a database and the work.
struct ClusterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cluster",
        abstract: "Show the processes that share the work, and drain one.",
        discussion: "lamplighter cluster status --store postgres://lamplighter@db/lamplighter",
        subcommands: [ClusterStatusCommand.self, ClusterDrainCommand.self]
    )
}

/// The command `cluster status`, which shows the processes and which of them holds each lane.
struct ClusterStatusCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "Show the processes that share the work, and which process holds which lane.",
        discussion: """
            lamplighter cluster status
            lamplighter cluster status --json
            """
    )

    @OptionGroup(title: "Common options") var common: CommonOptions

    func run() async throws {
        let store = try await CommandContext.open(common.settings).store
        guard store.isShared else { throw Problem.storeNotShared() }
        let (nodes, leases, now) = try store.coordinate {
            (try $0.nodes.all(), try $0.leases.all(), try $0.nodes.now())
        }
        let lags = try store.read { try $0.outbox.lags() }
        let held = leases.filter(\.isHeld)
        let nodeRows = nodes.map { node in Self.row(node, lanes: held.count { $0.node == node.id }, at: now) }
        let names = Dictionary(nodes.map { ($0.id, $0.name) }) { first, _ in first }
        let laneRows = leases.compactMap { lease -> JSONObject? in
            guard let worker = WorkerName(rawValue: lease.worker) else { return nil }
            let lane = LanePlan.shared.lane(of: worker, number: lease.lane)
            let lag = lags[lane.name]
            let behind = lag.map { max(0, now.milliseconds - $0.since.milliseconds) }
            let node = lease.isHeld ? lease.node.flatMap { names[$0] } : nil
            return JSONObject(showing: [
                "worker": worker.rawValue, "lane": lane.number, "node": node.map { .string($0) } ?? JSONValue.null,
                "epoch": lease.epoch, "outbox": lag?.rows ?? 0, "lagMilliseconds": behind ?? 0,
            ])
        }
        guard !common.output.json else { return Terminal.show(["nodes": nodeRows.shown, "lanes": laneRows.shown]) }
        Self.show(nodeRows, laneRows)
    }

    private static func row(_ node: NodeTable.Node, lanes: Int, at now: Instant) -> JSONObject {
        let seen = node.untilAt.adding(seconds: -ClusterTiming.lifetime.components.seconds)
        return JSONObject(showing: [
            "name": node.name, "version": node.version, "lanes": lanes,
            // If another process noticed the end of a process early, the time until which that process counted as alive
            // was cleared.
            "lastSeenAt": max(seen, node.startedAt),
            "state": node.untilAt <= now ? "gone" : node.isDraining ? "draining" : "alive",
        ])
    }

    private static func show(_ nodes: [JSONObject], _ lanes: [JSONObject]) {
        Terminal.show(
            nodes,
            [
                Column("PROCESS", "name"), Column("VERSION", "version"), Column("LANES", "lanes"),
                Column("STATE", "state"), .moment("LAST SEEN", "lastSeenAt"),
            ]
        )
        print("")
        Terminal.show(
            lanes,
            [
                Column("LANE") { lane in
                    WorkerName(rawValue: lane.text("worker")).map {
                        LanePlan.shared.lane(of: $0, number: Int(lane.integer("lane"))).name
                    } ?? "-"
                }, Column("PROCESS") { $0["node"]?.stringValue ?? "-" }, Column("EPOCH", "epoch"),
                Column("OUTBOX", "outbox"),
                Column("BEHIND") { lane in
                    let lag = lane.integer("lagMilliseconds")
                    return lag == 0 ? "-" : "\((lag + 999) / 1000) s"
                },
            ]
        )
    }
}

/// The command `cluster drain`, which makes a process hand over its lanes and take no more.
struct ClusterDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Make a process hand over its lanes and take no more.",
        discussion: """
            lamplighter cluster drain lamps-2

            Drain a process before you remove its machine; a process that is only stopped hands over as well. A \
            drained process keeps its lanes as long as no other process runs.
            """
    )

    @Argument(help: "The process's name, as `cluster status` shows it.")
    var process: String

    @Flag(help: "Make the process take its share again.")
    var undo = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard place.store.isShared else { throw Problem.storeNotShared() }
        let isKnown = try place.store.coordinate { try $0.nodes.drain(process, !undo) }
        guard isKnown else { throw Problem.unknownProcess(name: process) }
        if output.json { return Terminal.show(["node": .string(process), "draining": .bool(!undo)]) }
        print(undo ? "\(process) takes its share again" : "\(process) hands over its lanes")
    }
}
