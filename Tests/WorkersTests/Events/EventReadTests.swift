import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Reading the event log with a key")
struct EventReadTests {
    private let world: EventWorld

    init() throws { world = try EventWorld() }

    @Test("A page has entries in order, and its cursor continues after them")
    func pages() throws {
        for _ in 0..<3 { try world.log(world.event()) }
        let first = try world.result("read", ["after": "start", "limit": 2])
        #expect(first["events"]?.arrayValue?.count == 2 && first["more"] == true)
        let next = try world.result("read", ["after": first["cursor"] ?? .null])
        #expect(next["events"]?.arrayValue?.count == 1 && next["more"] == false)
        let last = next["events"]?.arrayValue?.first?.objectValue
        #expect(last?["id"] == next["cursor"] && last?["type"] == "device.alert")
        #expect(last?["productKey"]?.stringValue == World.key.text && last?["actor"]?.objectValue?["kind"] == "system")
        #expect(try world.events([:]).isEmpty)
    }

    @Test("A page has devices of the app's products and users of the app, and no users of other apps")
    func isolation() throws {
        try world.log(
            world.event(product: EventWorld.foreignProduct),
            world.event(.accountCreated, product: nil, app: EventWorld.other),
            world.event(.shareChanged, app: EventWorld.other),
            world.event(.deviceBound, app: EventWorld.other),
            world.event(.sessionEnded, product: nil, app: World.app)
        )
        let events = try world.events()
        try #require(events.compactMap { $0["type"]?.stringValue } == ["device.bound", "session.ended"])
        #expect(events[0]["uid"] == nil && events[0]["actor"] == nil)
        #expect(events[0]["data"]?.objectValue == ["type": "alert"])
        #expect(events[1]["uid"] == "u-8" && events[1]["data"]?.objectValue?["actor"] != nil)
    }

    @Test("A cursor passes entries that the filter left out")
    func passing() throws {
        let before = try world.result("read", ["after": "start", "types": ["share.changed"]])["cursor"]
        try world.log(world.event())
        let after = try world.result("read", ["after": before ?? .null, "types": ["share.changed"]])
        #expect(after["events"]?.arrayValue?.isEmpty == true && after["cursor"] != before)
    }

    @Test("A waiting reader is answered after the commit that adds an entry, and not earlier")
    func longPoll() throws {
        var loop = try world.loop()
        world.send("read", id: "wait", ["types": ["device.alert"], "wait": 50])
        for _ in 0..<100 { try loop.turn() }
        try world.log(world.event(.deviceOnline))
        for _ in 0..<100 { try loop.turn() }
        #expect(world.answers.isEmpty)
        try world.log(world.event())
        try world.wait(1, &loop)
        let result = world.answers[0]["result"]?.objectValue
        #expect(result?["events"]?.arrayValue?.count == 1)
    }

    @Test("A reader whose wait times out gets an empty page with a cursor that misses nothing")
    func timeout() throws {
        let result = try world.result("read", ["wait": 1])
        #expect(result["events"]?.arrayValue?.isEmpty == true && result["more"] == false)
        try world.log(world.event())
        #expect(try world.events(["after": result["cursor"] ?? .null]).count == 1)
    }

    @Test("A waiting reader with a revoked key gets no entry")
    func revoked() throws {
        var loop = try world.loop()
        world.send("read", id: "wait", ["wait": 50])
        for _ in 0..<100 { try loop.turn() }
        try world.world.write { tx in
            let key = try #require(try tx.keys.find(token: "llk_1"))
            try tx.keys.end(key)
        }
        try world.log(world.event())
        try world.wait(1, &loop)
        #expect(world.answers[0].errorCode == "InvalidToken")
    }

    @Test("The number of a key's waiting readers is limited")
    func limit() throws {
        var loop = try world.loop()
        for number in 0..<5 { world.send("read", id: "wait\(number)", ["wait": 50]) }
        try world.wait(1, &loop)
        #expect(world.answers[0].errorCode == "TooManyRequests")
    }

    @Test("A reader behind the oldest stored entry first gets the gap")
    func gap() throws {
        for _ in 0..<3 { try world.log(world.event()) }
        let events = try world.events()
        let cut = try #require(events[1]["id"]?.stringValue.flatMap { EventCursor($0) })
        try world.world.write { tx in
            let oldest = Instant(milliseconds: 0)
            _ = try tx.eventLog.delete(upTo: cut, before: oldest, isBulk: false, limit: 9)
        }
        let after = try world.events(["after": events[0]["id"] ?? .null])
        try #require(after.map { $0["type"] } == ["events.gap", "device.alert"])
        #expect(after[0]["data"]?.objectValue == ["from": events[0]["id"], "to": events[1]["id"]])
        #expect(try world.types(["after": after[0]["id"] ?? .null]) == ["device.alert"])
        #expect(try world.types() == ["device.alert"])
    }

    @Test(
        "Invalid fields are refused with their names",
        arguments: [
            (["after": "yesterday"], "params.after"), (["types": ["device.nothing"]], "params.types"),
            (["types": "device.*"], "params.types"), (["dids": ["no id"]], "params.dids"),
            (["productKeys": ["bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"]], "params.productKeys"),
            (["wait": 51], "params.wait"),
            (["limit": 0], "params.limit"), (["subscriptionId": "v-1", "after": "now"], "params.subscriptionId"),
        ] as [(JSONObject, String)]
    )
    func badFields(_ params: JSONObject, _ field: String) throws {
        let answer = try world.ask("read", params)
        #expect(answer.errorCode == "InvalidRequest" && answer.errorField == field)
    }

    @Test("A user's request is refused")
    func users() throws {
        world.world.sendRequest(0, "events/read", id: "a")
        try world.world.run { RequestHandler.reach($0) }
        #expect(world.world.broker.published(to: World.answerTopic(0)).last?.errorCode == "Forbidden")
    }
}

@Suite("Subscriptions to events")
struct EventSubscriptionMethodTests {
    private let world: EventWorld

    init() throws { world = try EventWorld() }

    @Test("A stored cursor is read until it is acknowledged, and moving it back replays events")
    func cursor() throws {
        let made = try world.result("subscribe", ["name": "billing", "types": ["device.*"]])
        #expect(made["secret"] == nil)
        let id = made["subscriptionId"] ?? .null
        for _ in 0..<2 { try world.log(world.event()) }
        let page = try world.result("read", ["subscriptionId": id])
        #expect(page["events"]?.arrayValue?.count == 2)
        #expect(try world.events(["subscriptionId": id]).count == 2)
        let first = page["events"]?.arrayValue?.first?.objectValue?["id"] ?? .null
        #expect(try world.ask("ack", ["subscriptionId": id, "cursor": page["cursor"] ?? .null]).isOK)
        #expect(try world.ask("ack", ["subscriptionId": id, "cursor": first]).isOK)
        #expect(try world.events(["subscriptionId": id]).isEmpty)
        #expect(try world.ask("update", ["subscriptionId": id, "cursor": first]).isOK)
        #expect(try world.events(["subscriptionId": id]).count == 1)
        #expect(try world.ask("update", ["subscriptionId": id, "cursor": 0]).isOK)
        #expect(try world.events(["subscriptionId": id]).count == 2)
        #expect(try world.ask("unsubscribe", ["subscriptionId": id]).isOK)
        #expect(try world.ask("read", ["subscriptionId": id]).errorCode == "ResourceNotFound")
    }

    @Test("A webhook has a secret, which can be rotated, and its row shows its lag")
    func webhook() throws {
        let params: JSONObject = [
            "name": "hook", "types": ["device.alert"], "url": "https://example.com/hook", "from": "start",
        ]
        let made = try world.result("subscribe", params)
        let id = made["subscriptionId"] ?? .null
        #expect(made["secret"]?.stringValue?.hasPrefix("whsec_") == true)
        let rotated = try world.result("rotate", ["subscriptionId": id])["secret"]
        #expect(rotated != nil && rotated != made["secret"])
        // A webhook's lag counts only events of the types to which the webhook has subscribed.
        try world.log(world.event(.deviceFault))
        world.world.clock.advance(seconds: 30)
        try world.log(world.event())
        world.world.clock.advance(seconds: 12)
        #expect(try world.ask("update", ["subscriptionId": id, "state": "paused", "batch": 5]).isOK)
        let rows = try world.result("subscriptions")["subscriptions"]?.arrayValue ?? []
        try #require(rows.count == 1)
        let row = rows[0].objectValue ?? [:]
        #expect(row["state"] == "paused" && row["batch"] == 5 && row["behind"] == 12 && row["secret"] == nil)
        #expect(try world.result("deliveries", ["subscriptionId": id]) == ["deliveries": []])
    }

    @Test("An app has at most twenty subscriptions, and another app's subscriptions are not found")
    func limits() throws {
        for _ in 0..<20 { _ = try world.result("subscribe", ["name": "n", "types": ["device.*"]]) }
        #expect(try world.ask("subscribe", ["name": "n", "types": ["device.*"]]).errorCode == "Forbidden")
        try world.world.write { tx in try tx.sql.run("UPDATE eventSubscription SET appId = 'other'") }
        #expect(try world.result("subscriptions") == ["subscriptions": []])
        let id = try world.world.read { try $0.eventSubscriptions.all()[0].id }
        #expect(try world.ask("rotate", ["subscriptionId": .string(id.text)]).errorCode == "ResourceNotFound")
    }
}
