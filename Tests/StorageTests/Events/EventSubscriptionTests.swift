import Domain
import PostgreSQL
import StoreTestKit
import Testing

@testable import Storage

@Suite("Stored subscriptions")
struct EventSubscriptionTests {
    private static let subscription = EventSubscription(
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

    @Test(
        "A subscription is read as it was saved; its secret is sealed, and its cursor moves only from where it was read"
    )
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

    @Test("Another process can't move a locked subscription's cursor", .onlyInDatabase)
    func lock() throws {
        let world = try World()
        let other = try TestStore.connection(TestStore.address(of: world.directory))
        let move = "UPDATE eventSubscription SET cursor = '2-2-0' WHERE subscriptionId = 'v-1'"
        try other.execute("SET lock_timeout = '20ms'")
        try world.store.batch(at: Make.now) { try $0.eventSubscriptions.add(Self.subscription) }

        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.eventSubscriptions.lock(Self.subscription.id)
            // The statement that takes the lock is sent to the database together with the next read.
            _ = try tx.eventSubscriptions.find(Self.subscription.id)
            #expect(throws: PostgresError.self) { try other.execute(move) }
        }
        try other.execute(move)

        let cursor = try world.store.read { try $0.eventSubscriptions.find(Self.subscription.id)?.cursor }
        #expect(cursor == EventCursor("2-2-0"))
    }

    @Test("The last tries are stored, the newest first")
    func deliveries() throws {
        let world = try World()
        try world.store.batch(at: Make.now) { (tx) throws in
            try tx.eventSubscriptions.add(Self.subscription)
            for number in 0...EventDelivery.keptMax {
                let delivery = EventDelivery(
                    at: Make.at(Int64(number)),
                    webhookID: "w",
                    events: number,
                    status: number % 2 == 0 ? nil : 500,
                    milliseconds: 7,
                    error: "it failed"
                )
                try tx.eventSubscriptions.note([delivery], of: Self.subscription.id)
            }
            let kept = try tx.eventSubscriptions.deliveries(of: Self.subscription.id)
            #expect(kept.count == EventDelivery.keptMax && kept[0].events == EventDelivery.keptMax)
            #expect(kept[1].status == 500 && kept[0].status == nil && kept[0].at == Make.at(200))
        }
    }
}
