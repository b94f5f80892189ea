import Domain
package import Logging
import Storage
import Synchronization

/// A reader of the event log that notifies users.
///
/// If several processes share the database, only the leader's notifier works. Each transaction writes notifications
/// together with the position of the last handled event. Therefore, each notification of an event is made exactly once,
/// even if the process crashes.
package final class Notifier: Sendable {
    private let environment: Environment
    private let logger: Logger
    private let isStopping = Atomic<Bool>(false)

    /// The name of the stored position up to which events have been handled.
    package static let placeFact = "notifier"
    /// The pause between two reads of the event log.
    private static let pause = Duration.milliseconds(100)
    /// The longest pause between two transactions.
    ///
    /// With this pause, 10,000 users are notified of an event within ten seconds. This holds even if each transaction
    /// takes 60 ms.
    private static let restMax = Duration.milliseconds(40)
    /// The pause between two searches for notifications that are due.
    private static let duePause = Duration.seconds(1)
    /// A new installation notifies users only of events that are at most this many seconds old.
    private static let firstAge: Int64 = 600
    /// While no event causes notifications, the position is stored at intervals of this many seconds.
    private static let keptSeconds: Int64 = 60

    /// The position up to which events have been handled.
    ///
    /// All events up to `cursor` have been handled. A later event may have been handled for only some of its users.
    private struct Place {
        var cursor: EventCursor
        /// The partly handled event, and the notified user with the largest id.
        var partial: (event: String, uid: String)?

        init(_ cursor: EventCursor) { self.cursor = cursor }

        init?(_ text: String) {
            let parts = text.split(separator: " ").map(String.init)
            guard let cursor = parts.first.flatMap({ EventCursor($0) }) else { return nil }
            self.init(cursor)
            if parts.count == 3 { partial = (parts[1], parts[2]) }
        }

        var text: String { partial.map { "\(cursor.text) \($0.event) \($0.uid)" } ?? cursor.text }

        /// Returns the id of the last user who was notified of an event, or an empty string before the first user.
        func lastUser(of event: NotifiedEvent) -> String { partial?.event == event.id.text ? partial?.uid ?? "" : "" }
    }

    /// Prepares a notifier.
    package init(_ environment: Environment, logger: Logger) {
        (self.environment, self.logger) = (environment, logger)
    }

    /// Runs until `stop` is called.
    package func run() async { await PlainThread.run { self.loop() } }

    /// Ends `run` after the transaction under way.
    package func stop() { isStopping.store(true, ordering: .releasing) }

    private var mustStop: Bool { isStopping.load(ordering: .acquiring) }

    private func loop() {
        var seen = EventCursor.start
        var nextDue = ContinuousClock.now
        while !mustStop {
            PlainThread.pause(Self.pause)
            guard environment.leadership.isHeld else {
                seen = .start
                continue
            }
            do {
                while try follow(&seen), !mustStop {}
                guard ContinuousClock.now >= nextDue else { continue }
                while try wake(), !mustStop {}
                nextDue = .now + Self.duePause
            } catch {
                logger.warning("Users can't be notified, because the store can't be used", because: error)
                seen = .start
                PlainThread.pause(.seconds(1))
            }
        }
    }

    // MARK: Events

    /// Handles events for a limited number of users, and returns whether more may remain.
    ///
    /// `seen` can be later than the stored position, because not every read stores the position. The events between
    /// these two positions lead to no notification, so they are not read again.
    private func follow(_ seen: inout EventCursor) throws -> Bool {
        var (events, end, isMore) = ([NotifiedEvent](), EventCursor.start, false)
        let stored = try environment.store.read(at: environment.clock.now) { tx -> Place? in
            guard let stored = try tx.meta.value(Self.placeFact).flatMap({ Place($0) }) else { return nil }
            events = []  // The store may run this closure several times.
            let begin = stored.partial == nil ? max(seen, stored.cursor) : stored.cursor
            var entries: [(LoggedEvent, EventCursor)] = []
            (end, isMore) = try tx.eventLog.read(after: begin, withBulk: false) { event, id in
                guard EventType.notified.contains(event.type) else { return true }
                guard entries.count < environment.limits.notificationCrowd else { return false }
                entries.append((event, id))
                return true
            }
            for (event, id) in entries {
                if let notified = try NotifiedEvent.of(event, id, after: events, in: tx) { events.append(notified) }
            }
            return stored
        }
        guard let stored else {
            try begin()
            return true
        }
        let isOld = stored.cursor.writtenAt.adding(seconds: Self.keptSeconds) < environment.clock.now
        if !events.isEmpty || isOld && seen != end { try carryOut(events, from: stored, to: end) }
        seen = events.isEmpty ? end : .start
        return isMore || !events.isEmpty
    }

    /// Stores the position at which a new installation begins.
    private func begin() throws {
        try environment.store.batch(at: environment.clock.now) { tx in
            guard try tx.meta.value(Self.placeFact) == nil else { return }
            let first = try tx.eventLog.end(before: tx.now.adding(seconds: -Self.firstAge))
            try tx.meta.set(Self.placeFact, to: Place(first).text)
        }
    }

    /// Notifies users and stores position `end`, unless another process has changed the stored position.
    private func carryOut(_ events: [NotifiedEvent], from stored: Place, to end: EventCursor) throws {
        let began = ContinuousClock.now
        // The pause after a brief transaction is three times as long as the transaction. As long as all transactions
        // are brief, the notifier thus uses at most a quarter of a core, and occupies the store's writer at most a
        // quarter of the time.
        defer { PlainThread.pause(min((.now - began) * 3, Self.restMax)) }
        try environment.work(publishedBy: .reach) { work in
            guard try work.tx.meta.hold(Self.placeFact, at: stored.text) else { return }
            var steps: [(effect: NotifiedEvent.Effect, drafts: [NotificationDraft])] = []
            var (place, room) = (stored, work.limits.notificationCrowd)
            for event in events where room > 0 {
                let drafts = try event.drafts(after: place.lastUser(of: event), limit: room, in: work.tx)
                steps.append((event.effect, drafts))
                room -= drafts.count
                if room > 0 {
                    place = Place(event.id)
                } else if let last = drafts.last {
                    place.partial = (event.id.text, last.uid.text)
                }
            }
            if room > 0 { place = Place(max(place.cursor, end)) }
            let uids = Set(steps.flatMap { $0.drafts.map(\.uid) })
            try work.tx.lock(users: Array(uids))
            var batch = try NotificationBatch(uids, in: work)
            for (effect, drafts) in steps {
                switch effect {
                case .tell: try batch.tell(drafts, in: &work)
                case .clear: try batch.clear(drafts, in: &work)
                }
            }
            try batch.store(in: &work)
            try work.tx.meta.set(Self.placeFact, to: place.text)
        }
    }

    // MARK: Due notifications

    /// Decides about due notifications, and returns whether more may be due.
    private func wake() throws -> Bool {
        let limit = environment.limits.notificationCrowd
        let isDue = try environment.store.read(at: environment.clock.now) { tx in
            try !tx.notifications.due(limit: 1).isEmpty || !tx.pushAddresses.owed(limit: 1).isEmpty
        }
        guard isDue else { return false }
        return try environment.work(publishedBy: .reach) { work in
            let tx = work.tx
            let (due, owed) = try tx.lock {
                (try tx.notifications.due(limit: limit), try tx.pushAddresses.owed(limit: limit))
            } naming: { due, owed in
                (users: Array(Set(due.map(\.uid) + owed.map(\.uid))), devices: [])
            }
            try NotificationBatch.sum(owed, in: &work)
            var batch = try NotificationBatch(Set(due.map(\.uid)), in: work)
            try batch.wake(due, in: &work)
            try batch.store(in: &work)
            return due.count == limit
        }
    }
}

extension NotifiedEvent {
    /// Returns up to `limit` notifications for users after `uid`, in the order of ids.
    fileprivate func drafts(after uid: String, limit: Int, in tx: Transaction) throws -> [NotificationDraft] {
        func made(for uid: UserID, _ binding: Binding? = nil) -> NotificationDraft {
            var made = draft
            (made.uid, made.alias, made.isSubscribed) = (uid, binding?.alias ?? "", binding?.isSubscribed ?? true)
            return made
        }
        switch audience {
        case .user(let user):
            guard user.text > uid else { return [] }
            var draft = made(for: user)
            if let did = draft.did { draft.alias = try tx.bindings.find(did, user)?.alias ?? "" }
            return [draft]
        case .holders(let did, let subject):
            return try tx.notifications.holders(of: did, subject, after: uid, limit: limit).map { made(for: $0) }
        case .bound(let did, let app):
            return try tx.bindings.page(of: did, app: app, after: uid, limit: limit).map { made(for: $0.uid, $0) }
        }
    }
}
