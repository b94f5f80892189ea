import Domain
import JSON
import Testing

@testable import Storage

@Suite("Devices and their data")
struct DeviceTableTests {
    @Test("A status is read as it was saved")
    func status() throws {
        let world = try World()
        try world.fill()
        var status = Status(ts: Make.at(5))
        status.version = 42
        status.attributes = [
            .init(name: "level", value: 5, ts: Make.at(1)), .init(name: "é\"\\", value: ["x": [.null]], ts: Make.at(2)),
            .init(name: "d", value: .double(0.1), ts: .max),
        ]
        status.open = [
            .init(kind: .alert, name: "a", eventID: "e-1", ts: Make.at(4)),
            .init(kind: .fault, name: "\"", eventID: "e-2"),
        ]
        status.cleared = [.init(kind: .fault, name: "a", ts: Make.at(6))]
        status.presence.isOnline = true
        status.presence.isAlive = true
        status.presence.connection = 7
        status.presence.session = "s"
        status.presence.lastSeenAt = Make.at(3)
        status.presence.listensFrom = Make.at(8)
        let record = StatusRecord(did: Make.did, productKey: Make.key, status: status)
        try world.store.arrange(at: Make.now) { try $0.statuses.save(reported: [record], moved: [record]) }
        let found = try world.store.read { try $0.statuses.find(Make.did) }
        #expect(found?.status == status)
    }

    @Test(
        "A new ownership period begins after the last one's data, except data that is ahead of a clock since set back"
    )
    func newOwnership() throws {
        let world = try World()
        try world.fill()
        func begin() throws -> Instant? {
            try world.store.arrange(at: Make.now) { try $0.devices.beginOwnership(Make.did) }
            return try world.store.read { try $0.devices.find(Make.did)?.ownershipSince }
        }
        #expect(try world.store.read { try $0.devices.find(Make.did)?.ownershipSince } == Instant(milliseconds: 0))
        #expect(try begin() == Make.now)
        let ahead = { (seconds: Int64) in Make.now.adding(seconds: seconds) }
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.history.append([
                HistoryRecord(did: Make.did, ts: ahead(300), data: nil, binary: "AA=="),
                HistoryRecord(did: Make.did, ts: ahead(3600), data: nil, binary: "AA=="),
            ])
        }
        #expect(try begin() == ahead(300).adding(milliseconds: 1))
        try world.store.arrange(at: Make.now) { (tx) throws in
            let event = Event(id: "e-1", type: "online", ts: ahead(301), actor: .device(Make.did))
            let far = Event(id: "e-2", type: "online", ts: ahead(7200), actor: .device(Make.did))
            try tx.events.append([(Make.did, event), (Make.did, far)])
        }
        #expect(try begin() == ahead(301).adding(milliseconds: 1))
        // A new ownership period never begins before the previous period began.
        #expect(try begin() == ahead(301).adding(milliseconds: 2))
    }

    @Test("No file contains secrets or passcodes in clear")
    func secrets() throws {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.devices.setIdentity(Make.did, secret: "canary-secret-71", passcode: "canary-pass-71", hardware: [:])
        }
        try world.store.checkpoint()
        #expect(try !world.holds("canary-secret-71") && !world.holds("canary-pass-71"))
        try world.store.read { (tx) throws in
            let device = try #require(try tx.devices.find(Make.did))
            #expect(tx.devices.hasSecret(device, "canary-secret-71") && !tx.devices.hasSecret(device, "x"))
            #expect(tx.devices.hasPasscode(device, "canary-pass-71") && !tx.devices.hasPasscode(device, "x"))
            #expect(!tx.devices.hasPasscode(nil, "canary-pass-71"))
        }
    }

    @Test("Refreshes are taken once and in order, and can be requested for all subscribed bindings at once")
    func refreshes() throws {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { (tx) throws in
            for (name, isSubscribed) in [("u-a", true), ("u-b", false), ("u-c", true)] {
                try tx.bindings.insert(
                    Binding(
                        did: Make.did,
                        uid: UserID(trusted: name),
                        app: Make.app,
                        role: .normal,
                        isSubscribed: isSubscribed,
                        boundAt: Make.now
                    )
                )
            }
            try tx.refreshes.add([Refresh(did: Make.did, uid: UserID(trusted: "u-c"))])
            try tx.refreshes.addAll()
            let first = try tx.refreshes.next(limit: 1)
            #expect(first.map(\.uid.text) == ["u-a"])
            try tx.refreshes.remove(first)
            let rest = try tx.refreshes.next(limit: 5)
            #expect(rest.map(\.uid.text) == ["u-c"])
            try tx.refreshes.remove(rest)
            #expect(try !tx.refreshes.isWaiting())
            try tx.refreshes.addAll(of: ProductKey(trusted: String(repeating: "b", count: 32)))
            #expect(try !tx.refreshes.isWaiting())
            try tx.refreshes.addAll(of: Make.key)
            #expect(try tx.refreshes.next(limit: 5).map(\.uid.text) == ["u-a", "u-c"])
        }
    }
}
