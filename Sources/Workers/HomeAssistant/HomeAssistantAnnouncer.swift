import Domain
package import Logging
import Metrics
import Sodium
import Storage
import Synchronization
import Wire

/// The announcer that sends retained messages about users' devices to the users' Home Assistants.
///
/// The announcer compares a user's devices with the stored announcements, and publishes the differences. The announcer
/// checks a user after an event that changes the user's devices or links. It checks all users at its start, after
/// catalog changes, and from time to time. Because of the check at its start, the announcer needn't store how far it
/// has read the event log. If several processes share the database, only the leader announces.
package final class HomeAssistantAnnouncer: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let announcements = Counter(label: "lamplighter_homeassistant_announcements_total")
    private let isStopping = Atomic<Bool>(false)

    /// The pause between two readings of the event log.
    private static let pause = Duration.milliseconds(200)
    /// The minimum time between regular checks, which find new names, versions and subscriptions.
    private static let checkEvery = Duration.seconds(60)
    /// The minimum time between regular checks, as a multiple of a check's duration.
    private static let rest = 20

    /// The announcer's state while this process is the leader.
    private struct State {
        var cursor = EventCursor.start
        /// The catalog's epoch at the last check, or nil before the first check.
        var epoch: Int64?
        var nextCheck = ContinuousClock.now
        /// The users who have links, or to whom devices have been announced.
        var users: Set<UserID> = []
    }

    /// Prepares an announcer.
    package init(_ environment: Environment, logger: Logger) { (self.environment, self.logger) = (environment, logger) }

    /// Runs until `stop` is called.
    package func run() async {
        await PlainThread.run {
            var state = State()
            while !self.isStopping.load(ordering: .acquiring) {
                do {
                    try self.turn(&state)
                } catch {
                    self.logger.warning("Devices can't be announced to Home Assistant", because: error)
                }
                PlainThread.pause(Self.pause)
            }
        }
    }

    /// Makes `run` return after it has finished with the user whose devices it is announcing.
    package func stop() { isStopping.store(true, ordering: .releasing) }

    private func turn(_ state: inout State) throws {
        guard environment.leadership.isHeld else { return state = State() }
        let epoch = try environment.store.read { try $0.meta.catalogEpoch() }
        var next = state
        if epoch == state.epoch, state.nextCheck > .now {
            for uid in try takeChanged(&next) { try announce(to: uid) }
        } else {
            let begun = ContinuousClock.now
            (next.cursor, next.users) = try environment.store.read { tx in
                (try tx.eventLog.end(), try Set(tx.sessions.linkedUsers() + tx.homeAssistant.users()))
            }
            for uid in next.users where !isStopping.load(ordering: .acquiring) { try announce(to: uid) }
            next.epoch = epoch
            next.nextCheck = .now + max(Self.checkEvery, (ContinuousClock.now - begun) * Self.rest)
        }
        state = next
    }

    /// Returns the users whose devices or links changed according to new log entries.
    private func takeChanged(_ state: inout State) throws -> Set<UserID> {
        var (users, changed) = (state.users, Set<UserID>())
        state.cursor = try environment.store.read { tx in
            try tx.eventLog.read(after: state.cursor, withBulk: false) { event, _ in
                guard let uid = event.uid else { return true }
                switch event.type {
                case .sessionStarted, .sessionEnded:
                    guard HomeAssistantCodec.isOfLink(event) else { return true }
                    users.insert(uid)
                case .deviceBound, .deviceUnbound, .deviceRoleChanged: break
                default: return true
                }
                if users.contains(uid) { changed.insert(uid) }
                return true
            }.end
        }
        state.users = users
        return changed
    }

    // MARK: One user

    private func announce(to uid: UserID) throws {
        let changes = try environment.store.read { try differences(for: uid, in: $0) }
        guard !changes.isEmpty else { return }
        try environment.work(publishedBy: .session) { work in
            for (device, payload) in changes {
                let topic = Topics.discovery(device.session, device.did)
                work.effects.publish(OutboundMessage(topic, payload, isRetained: true))
                try payload.isEmpty ? work.tx.homeAssistant.delete(device) : work.tx.homeAssistant.save(device)
            }
            work.tx.afterCommit { self.announcements.increment(by: changes.count) }
        }
    }

    /// Returns the messages that must still be sent to a user's Home Assistants, each with its announced device.
    ///
    /// An empty message removes a device.
    private func differences(for uid: UserID, in tx: Transaction) throws -> [(AnnouncedDevice, payload: [UInt8])] {
        var told = try tx.homeAssistant.all(of: uid)
        var differences: [(AnnouncedDevice, payload: [UInt8])] = []
        for link in try tx.sessions.live(of: uid) where link.isLink && link.refusal(at: tx.now) == nil {
            guard let app = try tx.apps.find(link.app) else { continue }
            let known = app.products.among(nil)
            for listed in try tx.bindings.page(of: uid, products: known, offset: 0, limit: .max).rows {
                guard listed.binding.isSubscribed, let product = try tx.products.find(listed.productKey),
                    let device = try tx.devices.find(listed.binding.did)
                else { continue }
                let place = told.firstIndex { $0.session == link.id && $0.did == device.did }
                let before = place.map { told.remove(at: $0) }
                let codec = DiscoveryCodec(environment.topics, link: link, binding: listed.binding, product: product)
                let (payload, components) = codec.message(
                    maker: app.name,
                    mac: listed.mac,
                    hardware: device.hardware,
                    known: before?.components
                )
                let hash = Sodium.sha256(payload)
                guard hash != before?.hash else { continue }
                let (id, did) = (link.id, device.did)
                let announced = AnnouncedDevice(session: id, did: did, uid: uid, components: components, hash: hash)
                differences.append((announced, payload))
            }
        }
        return differences + told.map { ($0, []) }
    }
}
