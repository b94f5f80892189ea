import Administration
import Domain
import JSON
import Problems
import Service
import Storage
import Workers

extension ClusterStatusCommand {
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
            // When a process has ended, another process sets the ended process's `untilAt` to 0. In this case, the
            // start time of the ended process is shown.
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

extension ClusterDrainCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard place.store.isShared else { throw Problem.storeNotShared() }
        let isKnown = try place.store.coordinate { try $0.nodes.drain(process, !undo) }
        guard isKnown else { throw Problem.unknownProcess(name: process) }
        if output.json { return Terminal.show(["node": .string(process), "draining": .bool(!undo)]) }
        print(undo ? "\(process) takes its share again" : "\(process) hands over its lanes")
    }
}
