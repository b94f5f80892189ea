import Batching
import Domain
import Storage
import Wire

/// The search for connected devices after the broker has lost the worker's MQTT session.
///
/// The worker asks the gate to announce all connected devices. Then the worker publishes a mark, which the broker
/// delivers back to the worker. If there is only one lane, the worker's retained state serves as the mark. When the
/// first mark returns, the gate has received the request, but may not have sent the announcements yet. Therefore, the
/// worker then publishes a second mark. When the second mark returns, all connected devices have been announced. All
/// other devices that are online in the store are in fact offline (reference: operation#workers).
struct PresenceReconciliation {
    /// Returns the name of the stored value that says whether a lane's presence reconciliation is unfinished.
    static func pending(_ environment: Environment) -> String {
        let fact = "presenceReconciliationPending"
        guard environment.plan.isShared else { return fact }
        return "\(fact).\(environment.lane(of: .status).number)"
    }

    /// Returns the topic of a lane's marks, which is the topic of the worker's state if there is only one lane.
    static func topic(_ environment: Environment) -> String {
        let lane = environment.lane(of: .status)
        return environment.topics.system(environment.plan.isShared ? "mark/\(lane.name)" : "worker/\(lane.name)")
    }

    private enum Stage: Equatable {
        case idle
        case waiting(mark: Instant, isLast: Bool)
        case calling(after: String)
    }

    private var stage = Stage.idle
    private var present: Set<DeviceID> = []
    private var marks: [Instant] = []

    /// Whether devices must be checked even if no message arrives.
    var isDue: Bool {
        if case .calling = stage { true } else { false }
    }

    /// Begins a reconciliation, and returns two messages to publish: a request to the gate, and the first mark.
    mutating func begin(_ environment: Environment, at now: Instant) -> [OutboundMessage] {
        present = []
        let mark = Instant(milliseconds: now.milliseconds + 1)
        stage = .waiting(mark: mark, isLast: false)
        let shards = environment.shards
        let question = SystemCodec.gate([
            shards.areAll ? .announcePresence : .announceLane(shards.lane, of: shards.lanes)
        ])
        return [OutboundMessage(Topics.gateControl, question), Self.mark(mark, environment)]
    }

    private static func mark(_ mark: Instant, _ environment: Environment) -> OutboundMessage {
        let state = SystemCodec.workerState(isOnline: true, ts: mark)
        return OutboundMessage(topic(environment), state, isRetained: !environment.plan.isShared)
    }

    /// Records a presence signal about a device.
    mutating func recordPresence(_ signal: PresenceSignal, of did: DeviceID) {
        guard stage != .idle else { return }
        switch signal {
        case .connected, .listening: present.insert(did)
        case .disconnected: present.remove(did)
        default: break
        }
    }

    /// Notes that a mark has returned.
    mutating func markReturned(_ ts: Instant) {
        guard case .waiting(let mark, let isLast) = stage, ts == mark else { return }
        if isLast {
            stage = .calling(after: "")
        } else {
            let next = Instant(milliseconds: mark.milliseconds + 1)
            stage = .waiting(mark: next, isLast: true)
            marks.append(next)
        }
    }

    /// Removes and returns the marks to be sent.
    mutating func takeMarks(_ environment: Environment) -> [OutboundMessage] {
        exchange(&marks, with: []).map { Self.mark($0, environment) }
    }

    /// Checks the next devices that the store shows as online, and calls `absent` for those without a connection.
    mutating func callNext(
        in tx: Transaction,
        limit: Int,
        of environment: Environment,
        _ absent: (DeviceID) -> Void
    ) throws {
        guard case .calling(let last) = stage else { return }
        let page = try tx.statuses.online(after: last, limit: limit)
        for did in page where !present.contains(did) && environment.shards.contain(did.text) { absent(did) }
        if page.count == limit, let last = page.last {
            stage = .calling(after: last.text)
        } else {
            stage = .idle
            present = []
            try tx.meta.set(Self.pending(environment), to: "0")
        }
    }
}
