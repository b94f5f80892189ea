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

    @Test("Entries are read as they were written, in order, each after the one before")
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

    @Test("An entry is rolled back with its transaction")
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

    @Test("Statuses are stored separately, and a reading without statuses skips them")
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

    @Test("A reading ends where its reader stops, or at its size limit")
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

    @Test("The oldest rows of a kind are deleted by age or position, and the log states up to where")
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

    @Test("An erased user's entries are emptied, and entries of unknown types about others stay")
    func forgetting() throws {
        let mine = EventRowCodec.encode([MakeEvents.event(.deviceAlert, "mine")])
        let other = LoggedEvent(.deviceAlert, at: Make.now, app: Make.app, data: [UInt8]("{}".utf8))
        let text = String(decoding: EventRowCodec.encode([other]), as: UTF8.self)
        let later = Array(text.replacing("device.alert", with: "device.rocks").utf8)
        let deleted = EventRowCodec.encode([MakeEvents.event(.accountDeleted)])
        #expect(EventRowCodec.decode(later) == [nil])
        let left = EventRowCodec.forgetting(Make.uid, in: mine + later + deleted)
        #expect(EventRowCodec.decode(left) == [nil, nil, MakeEvents.event(.accountDeleted)])
        #expect(Array(left.suffix(later.count + deleted.count)) == later + deleted)
    }

    @Test("The position of a moment is before its first entry")
    func moments() throws {
        for number in 0..<3 { try append(MakeEvents.event(.deviceAlert, "\(number)"), at: Make.at(Int64(number))) }
        try world.store.read { (tx) throws in
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(1))).count == 2)
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(9))).isEmpty)
            #expect(try MakeEvents.read(world.store, after: tx.eventLog.end(before: Make.at(-9))).count == 3)
        }
    }

    @Test("In a log copied from another store, new rows follow all copied rows")
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

    @Test("Statuses are wanted while a subscription includes them, or for a while after a reader asked for them")
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
