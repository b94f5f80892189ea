import Domain
import Foundation
import StoreTestKit
import Synchronization
import TestKit
import Testing

@testable import Storage

/// Functions that make entries of the event log for tests.
enum MakeEvents {
    static func event(_ type: EventType = .deviceAlert, _ text: String = "x") -> LoggedEvent {
        LoggedEvent(
            type,
            at: Make.now,
            did: Make.did,
            product: Make.key,
            uid: Make.uid,
            actor: Actor(.user, Make.uid.text),
            app: Make.app,
            data: Array(#"{"text":"\#(text)"}"#.utf8)
        )
    }

    static func texts(_ store: Store, after cursor: EventCursor = .start, withBulk: Bool = true) throws -> [String] {
        try read(store, after: cursor, withBulk: withBulk).map { String(decoding: $0.event.data, as: UTF8.self) }
    }

    static func read(
        _ store: Store,
        after cursor: EventCursor = .start,
        withBulk: Bool = true
    ) throws -> [(event: LoggedEvent, id: EventCursor)] {
        try store.read { tx in
            var events: [(event: LoggedEvent, id: EventCursor)] = []
            _ = try tx.eventLog.read(after: cursor, withBulk: withBulk) {
                events.append(($0, $1))
                return true
            }
            return events
        }
    }
}

@Suite("The event log in the store")
struct EventLogTests {
    private let world: World

    init() throws { world = try World() }

    private func append(_ events: LoggedEvent..., at now: Instant = Make.now) throws {
        try world.store.batch(at: now) { try $0.eventLog.append(events) }
        try world.store.awaitEvents()
    }

    @Test("Entries come back as they were, in order, each behind the one before")
    func order() throws {
        var plain = LoggedEvent(.messageFailed, at: Make.now, app: Make.app, data: [UInt8]("{}".utf8))
        try append(MakeEvents.event(), plain)
        plain.actor = .system
        try append(plain)
        let read = try MakeEvents.read(world.store)
        #expect(read.count == 3 && read[0].event == MakeEvents.event() && read[2].event == plain)
        #expect(read.map(\.id) == read.map(\.id).sorted() && Set(read.map(\.id)).count == 3)
        for (place, entry) in read.enumerated() {
            #expect(try MakeEvents.read(world.store, after: entry.id).map(\.id) == read.dropFirst(place + 1).map(\.id))
        }
        #expect(try world.store.read { try $0.eventLog.end() } == read[2].id)
    }

    @Test("An entry goes with its transaction")
    func rollback() throws {
        struct Fault: Error {}
        #expect(throws: Fault.self) {
            try world.store.batch(at: Make.now) { tx in
                try tx.eventLog.append([MakeEvents.event()])
                throw Fault()
            }
        }
        #expect(try MakeEvents.read(world.store).isEmpty)
    }

    @Test("Statuses stand apart, and a reading without them passes them")
    func bulk() throws {
        try append(MakeEvents.event(.deviceStatus, "1"), MakeEvents.event(.deviceAlert, "2"))
        try append(MakeEvents.event(.deviceStatus, "3"))
        #expect(try MakeEvents.texts(world.store).count == 3)
        #expect(try MakeEvents.texts(world.store, withBulk: false) == [#"{"text":"2"}"#])
        try world.store.read { tx in
            let (end, isMore) = try tx.eventLog.read(after: .start, withBulk: false) { _, _ in true }
            #expect(try end == tx.eventLog.end() && !isMore)
        }
    }

    @Test("A reading ends where its reader stops, and after its bytes")
    func limits() throws {
        for number in 0..<4 { try append(MakeEvents.event(.deviceAlert, "\(number)")) }
        let all = try MakeEvents.read(world.store).map(\.id)
        try world.store.read { tx in
            var count = 0
            let stopped = try tx.eventLog.read(after: .start, withBulk: true) { _, _ in
                count += 1
                return count < 3
            }
            #expect(stopped.end == all[1] && stopped.isMore)
            let short = try tx.eventLog.read(after: .start, withBulk: true, bytesMax: 1) { _, _ in true }
            #expect(short.end == all[0] && short.isMore)
        }
    }

    @Test("The oldest rows of a kind are deleted, by age or by place, and the log says how far")
    func deletion() throws {
        for number in 0..<3 {
            let now = Make.at(Int64(number))
            try append(
                MakeEvents.event(.deviceStatus, "s\(number)"),
                MakeEvents.event(.deviceAlert, "e\(number)"),
                at: now
            )
        }
        try world.store.batch(at: Make.now) { (tx) throws in
            #expect(try tx.eventLog.delete(upTo: .start, before: Make.at(1), isBulk: true, limit: 10) == 1)
            let (end, bytes) = try #require(try tx.eventLog.weigh(after: .start, isBulk: false, limit: 2))
            #expect(bytes > 100)
            #expect(try tx.eventLog.delete(upTo: end, before: Make.now, isBulk: false, limit: 10) == 2)
            #expect(try tx.eventLog.deleted() == end)
            #expect(try tx.eventLog.deleted(isBulk: true) < end)
        }
        let left = try MakeEvents.texts(world.store)
        #expect(left.sorted() == ["e2", "s1", "s2"].map { #"{"text":"\#($0)"}"# })
    }

    @Test("A moment's place is before its first entry")
    func moments() throws {
        for number in 0..<3 { try append(MakeEvents.event(.deviceAlert, "\(number)"), at: Make.at(Int64(number))) }
        try world.store.read { (tx) throws in
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(1))).count == 2)
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(9))).isEmpty)
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(-9))).count == 3)
        }
    }

    @Test("In a log that another store wrote, new rows come after all of its rows")
    func moved() throws {
        try append(MakeEvents.event())
        try world.store.batch(at: Make.now) { tx in
            try tx.sql.run("UPDATE eventLog SET xid = $1", Int64(5) << 40)
        }
        try world.store.numberEventsBehind()
        try world.store.awaitEvents()
        try append(MakeEvents.event(.deviceAlert, "new"))
        #expect(try MakeEvents.texts(world.store).last == #"{"text":"new"}"#)
        let base = try world.store.read { try $0.meta.value("eventBase") }
        try world.store.numberEventsBehind()
        #expect(try world.store.read { try $0.meta.value("eventBase") } == base)
    }

    @Test("Statuses are wanted while a subscription names them, or for a while after a reader asked")
    func wants() throws {
        let store = world.store
        func wanted(_ now: Instant) throws -> Bool {
            try store.read(at: now) { try $0.eventLog.statusesWantedUntil().map { $0 > now } ?? false }
        }
        func epoch() throws -> Int64 { try store.read { try $0.meta.catalogEpoch() } }
        #expect(try !wanted(Make.now))
        let before = try epoch()
        try store.batch(at: Make.now) { try $0.eventLog.keepStatuses() }
        #expect(try wanted(Make.at(100)) && !wanted(Make.at(1_000)) && epoch() > before)
        var subscription = EventSubscription(
            id: SubscriptionID(trusted: "v-1"),
            app: Make.app,
            key: nil,
            name: "all",
            filter: EventFilter(names: ["device.*"]),
            url: nil,
            batch: 1,
            secret: nil,
            cursor: .start,
            createdAt: Make.now
        )
        try store.batch(at: Make.now) { [subscription] in try $0.eventSubscriptions.add(subscription) }
        #expect(try wanted(Make.at(1_000)))
        subscription.filter = EventFilter(names: ["device.alert"])
        try store.batch(at: Make.now) { [subscription] in try $0.eventSubscriptions.save(subscription) }
        #expect(try !wanted(Make.at(1_000)))
    }
}

@Suite("Readers that the store knows")
struct EventSubscriptionTests {
    @Test("A subscription comes back as it was; its secret is sealed, and its cursor moves only from where it was read")
    func table() throws {
        let world = try World()
        var subscription = EventSubscription(
            id: SubscriptionID(trusted: "v-1"),
            app: Make.app,
            key: "k-1",
            name: "billing",
            filter: EventFilter(names: ["device.*", "share.changed"], products: [Make.key], dids: [Make.did]),
            url: "https://example.com/hook",
            batch: 10,
            secret: Array("canary-secret-52".utf8),
            cursor: EventCursor(xid: 1, seq: 2, left: 3),
            createdAt: Make.now
        )
        subscription.failingSince = Make.now
        try world.store.batch(at: Make.now) { [subscription] (tx) throws in
            try tx.eventSubscriptions.add(subscription)
            #expect(try tx.eventSubscriptions.find(subscription.id) == subscription)
            #expect(try tx.eventSubscriptions.webhooks() == [subscription])
            #expect(try tx.eventSubscriptions.all(of: AppID(trusted: "other")).isEmpty)
            var next = subscription
            next.cursor = EventCursor(xid: 1, seq: 3)
            #expect(try tx.eventSubscriptions.advance(next, from: subscription.cursor))
            #expect(try !tx.eventSubscriptions.advance(next, from: subscription.cursor))
            next.state = .paused
            try tx.eventSubscriptions.save(next)
            #expect(try !tx.eventSubscriptions.advance(next, from: next.cursor))
            #expect(try tx.eventSubscriptions.webhooks().isEmpty)
        }
        try world.store.checkpoint()
        #expect(try !world.holds("canary-secret-52"))
    }

    @Test("The last tries are kept, newest first")
    func deliveries() throws {
        let world = try World()
        let subscription = EventSubscription(
            id: SubscriptionID(trusted: "v-1"),
            app: Make.app,
            key: nil,
            name: "billing",
            filter: EventFilter(),
            url: "https://example.com/hook",
            batch: 10,
            secret: nil,
            cursor: .start,
            createdAt: Make.now
        )
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.eventSubscriptions.add(subscription)
            for number in 0...EventDelivery.keptMax {
                let delivery = EventDelivery(
                    at: Make.at(Int64(number)),
                    webhookID: "w",
                    events: number,
                    status: number % 2 == 0 ? nil : 500,
                    milliseconds: 7,
                    error: "it failed"
                )
                try tx.eventSubscriptions.note([delivery], of: subscription.id)
            }
            let kept = try tx.eventSubscriptions.deliveries(of: subscription.id)
            #expect(kept.count == EventDelivery.keptMax && kept[0].events == EventDelivery.keptMax)
            #expect(kept[1].status == 500 && kept[0].status == nil && kept[0].at == Make.at(200))
        }
    }
}

@Suite("The event log with several writers", .enabled(if: PostgresServer.isInstalled), .serialized)
struct EventWritersTests {
    /// The number of writers that have not finished.
    private final class Running: Sendable {
        private let count = Atomic(8)

        var isAny: Bool { count.load(ordering: .acquiring) > 0 }
        func end() { count.subtract(1, ordering: .releasing) }
    }

    /// Lets eight processes write entries at once, while a reader follows the log.
    ///
    /// The transactions have different lengths. Returns the number of entries written and the entries that the reader
    /// has read.
    private func run(follow: (Store, inout EventCursor) throws -> [String]) throws -> (written: Int, read: Set<String>)
    {
        let database = try SharedDatabase()
        let stores = try (0..<8).map { number in
            let store = try database.open()
            store.sequence.take(NodeSlot.shared[number])
            return store
        }
        let reader = try database.open()
        let running = Running()
        for (number, store) in stores.enumerated() {
            Thread.detachNewThread {
                for round in 0..<60 {
                    try? store.batch(at: Make.at(Int64(round))) { tx in
                        try tx.eventLog.append([MakeEvents.event(.deviceAlert, "\(number).\(round)")])
                        try tx.sql.settle()
                        usleep(UInt32((number * 7 + round * 3) % 9) * 1_000)
                    }
                }
                running.end()
            }
        }
        var (read, cursor) = (Set<String>(), EventCursor.start)
        var isLast = false
        while !isLast {
            isLast = !running.isAny
            if isLast { try reader.awaitEvents() }
            read.formUnion(try follow(reader, &cursor))
        }
        return (8 * 60, read)
    }

    @Test("A reader that follows eight writers loses nothing")
    func nothingLost() throws {
        let (written, read) = try run { store, cursor in
            let new = try MakeEvents.read(store, after: cursor)
            cursor = new.last?.id ?? cursor
            return new.map { String(decoding: $0.event.data, as: UTF8.self) }
        }
        #expect(read.count == written)
    }

    @Test("One that follows the rows' numbers alone loses entries, which is why the log has more")
    func control() throws {
        let (written, read) = try run { store, cursor in
            try store.read { tx in
                try tx.sql.query("SELECT seq, messages FROM eventLog WHERE seq > $1 ORDER BY seq", cursor.seq) { row in
                    cursor.seq = row.next()
                    let data = EventRowCodec.decode(row.next()).first??.data ?? []
                    return String(decoding: data, as: UTF8.self)
                }
            }
        }
        #expect(read.count < written)
    }
}
