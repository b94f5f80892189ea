import Batching
import Domain
import JSON
import TestKit
import Testing

@testable import Storage

@Suite("Commands of a former user, and their deletion")
struct RetentionTests {
    private static func command(
        _ cid: Int64,
        by uid: String = Make.uid.text,
        on did: DeviceID = Make.did,
        _ state: Command.State = .done,
        at time: Instant = Make.now
    ) -> Command {
        Command(
            did: did,
            cid: cid,
            sn: 0,
            kind: .write,
            state: state,
            data: ["level": 1],
            binary: nil,
            actor: Actor(.user, uid, terminal: Make.terminal),
            app: Make.app,
            createdAt: time,
            expiresAt: time.adding(seconds: 10)
        )
    }

    private func bind(_ uid: UserID, _ tx: Transaction) throws {
        try tx.bindings.insert(Binding(did: Make.did, uid: uid, app: Make.app, role: .normal, boundAt: tx.now))
    }

    private func world(with commands: [Command]) throws -> World {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.now) { try $0.commands.save(commands) }
        return world
    }

    @Test("Work that several processes are to send at once is due even if one clock is behind") func atOnce() throws {
        let world = try world(with: [Self.command(1, .queued)])
        let now = Make.now
        try world.store.arrange(at: now) { tx in
            try tx.commands.requestDispatches([DispatchRequest(did: Make.did, at: now)])
        }
        let due = try world.store.arrange(at: now.adding(milliseconds: -1_500)) { tx in
            try tx.commands.dueDispatches(limit: 9, of: .all).map(\.did)
        }
        #expect(due == (world.store.isShared ? [Make.did] : []))
    }

    private func count(_ world: World, _ rows: String) throws -> Int64? {
        try world.store.read { try $0.sql.integer("SELECT count(*) FROM \(rows)") }
    }

    @Test("A device's command numbers ascend even after all its commands are deleted")
    func numbers() throws {
        let world = try World()
        try world.fill()
        func take() throws -> Int64 {
            try world.store.arrange(at: Make.now) { (tx) throws in
                let cid = try tx.devices.nextCommandID(Make.did)
                try tx.commands.save([Self.command(cid)])
                return cid
            }
        }
        #expect(try (0..<3).map { _ in try take() } == [1, 2, 3])
        let isMore = try world.store.arrange(at: Make.at(9)) {
            try $0.retention.prune(Make.did, before: Make.at(1), limit: 2)
        }
        #expect(isMore)
        #expect(try take() == 4)
        _ = try world.store.arrange(at: Make.at(9)) { try $0.retention.prune(Make.did, before: Make.at(1), limit: 100) }
        #expect(try count(world, "command") == 0)
        #expect(try take() == 5)
        // If a single statement asks for several command ids of the same device, it returns consecutive ids. For a
        // device that doesn't exist, it returns nil.
        let several = try world.store.arrange(at: Make.now) {
            try $0.devices.nextCommandIDs([Make.did, DeviceID(trusted: "d-gone"), Make.did])
        }
        #expect(several == [6, nil, 7])
    }

    @Test(
        "A user who left a device long ago is removed from its commands in steps, and other users are not"
    )
    func names() throws {
        let world = try World()
        try world.fill()
        let other = UserID(trusted: "u-00000000000011")
        try world.store.arrange(at: Make.now) { (tx) throws in
            for uid in [Make.uid, other] { try bind(uid, tx) }
            try tx.commands.save((1...7).map { Self.command($0, by: ($0 % 3 == 0 ? other : Make.uid).text) })
            try tx.bindings.delete(Make.did, [Make.uid])
            // Command 8 must keep its user, because only the beginning of that user's id equals the removed user's id.
            try tx.commands.save([Self.command(8, by: Make.uid.text + "1")])
        }
        var steps: [Int] = []
        repeat {
            steps.append(
                try world.store.arrange(at: Make.now) { tx in
                    let devices = try tx.cancellations.devicesThatName(Make.uid, limit: 9)
                    try tx.cancellations.takeOutName(Make.uid, of: devices, limit: 1)
                    return devices.count
                }
            )
        } while steps.last != 0 && steps.count < 10
        #expect(steps == [1, 1, 0])
        let actors = try world.store.read { tx in try tx.commands.newest(Make.did, limit: 9).map(\.actor.id).reversed()
        }
        #expect(Array(actors) == (1...7).map { $0 % 3 == 0 ? other.text : Actor.erased.id } + [Make.uid.text + "1"])
        #expect(try count(world, "formerBinding") == 0)
    }

    @Test("Ended bindings are deleted with the commands of their period")
    func bindings() throws {
        let world = try World()
        try world.fill()
        try world.store.arrange(at: Make.at(5)) { (tx) throws in
            try bind(Make.uid, tx)
            try tx.commands.save([Self.command(1), Self.command(2, .sent), Self.command(3, at: Make.at(8000))])
            try tx.bindings.delete(Make.did, [Make.uid])
        }
        func prune(before moment: Instant) throws {
            _ = try world.store.arrange(at: Make.at(100)) {
                try $0.retention.prune(Make.did, before: moment, limit: 10)
            }
        }
        func isOlder() throws -> Bool {
            try world.store.read { try $0.retention.isOlder(Make.did, than: Make.at(-100)) }
        }
        try prune(before: Make.at(6))
        // Two commands still name the user. One is open, and one was made while the clock was ahead.
        #expect(try count(world, "formerBinding") == 1 && count(world, "command") == 2)
        try world.store.arrange(at: Make.at(100)) { try $0.commands.update([Self.command(2)]) }
        try prune(before: Make.at(6))
        #expect(try count(world, "formerBinding") == 1 && count(world, "command") == 1 && !isOlder())
        try world.store.arrange(at: Make.at(100)) { (tx) throws in
            try tx.commands.save([Self.command(4, at: Make.at(9000))])
        }
        try prune(before: Make.at(8001))
        #expect(try count(world, "formerBinding") == 0 && count(world, "command") == 1 && !isOlder())
        try world.store.arrange(at: Make.at(100)) { (tx) throws in
            try bind(Make.uid, tx)
            try tx.bindings.delete(Make.did, [Make.uid])
            try tx.sql.run("DELETE FROM command")
        }
        #expect(try isOlder())
        try prune(before: Make.at(-100))
        #expect(try count(world, "formerBinding") == 0 && !isOlder())
    }

    @Test("A command's waiters are deleted with it, and not before")
    func waiters() throws {
        let world = try world(with: [Self.command(1), Self.command(2, .queued)])
        try world.store.arrange(at: Make.now) { (tx) throws in
            for cid in [1, 2] as [Int64] {
                let waiter = Waiter(
                    terminal: Make.terminal,
                    requestID: MessageID(trusted: "q"),
                    topic: "t",
                    correlation: nil
                )
                try tx.commands.addWaiter(waiter, for: Make.did, cid: cid)
            }
        }
        for _ in 0..<2 {
            _ = try world.store.arrange(at: Make.at(100)) {
                try $0.retention.prune(Make.did, before: Make.at(50), limit: 10)
            }
        }
        #expect(try count(world, "waiter WHERE cid = 2") == 1 && count(world, "waiter") == 1)
        #expect(try !world.store.read { try $0.retention.isOlder(Make.did, than: Make.at(50)) })
    }

    @Test("Requests are deleted oldest first, and a repeated request is among the newest") func requests() throws {
        let world = try World()
        func save(_ id: String, at time: Instant) throws {
            try world.store.arrange(at: time) {
                try $0.requests.save(
                    "t",
                    MessageID(trusted: id),
                    content: [1],
                    answer: Array("\(time.milliseconds)".utf8),
                    isSecret: false
                )
            }
        }
        for second in 0..<4 as Range<Int64> { try save("r\(second)", at: Make.at(second)) }
        try save("r0", at: Make.at(4))
        func prune(before second: Int64, limit: Int = 9) throws -> Int {
            try world.store.arrange(at: Make.at(99)) {
                try $0.retention.delete(.request, before: Make.at(second), limit: limit)
            }
        }
        #expect(try prune(before: 1) == 0)
        let waiting = try world.store.read { try $0.retention.count(.request, before: Make.at(3), limit: 9) }
        #expect(waiting == 2)
        #expect(try prune(before: 3, limit: 1) == 1)
        #expect(try prune(before: 4) == 2)
        let left = try world.store.read { try $0.requests.find("t", MessageID(trusted: "r0")) }
        #expect(left?.at == Make.at(4) && left?.answer == Array("\(Make.at(4).milliseconds)".utf8))
        #expect(try prune(before: 5) == 1)
        #expect(try count(world, "request") == 0)
    }

    @Test("Requests from a time when the clock was ahead don't prevent the deletion of others")

    func requestsAhead() throws {
        let world = try World()
        for (number, second) in [10, 5000, 5001, 11, 12, 100].enumerated() {
            try world.store.arrange(at: Make.at(Int64(second))) {
                try $0.requests.save("t", MessageID(trusted: "r\(number)"), content: [1], answer: [], isSecret: false)
            }
        }
        func prune(before second: Int64, limit: Int, at now: Int64) throws -> Int {
            try world.store.arrange(at: Make.at(now)) {
                try $0.retention.delete(.request, before: Make.at(second), limit: limit)
            }
        }
        // When an expired request is deleted, so are all requests stored before it. Their timestamps can even be in the
        // future.
        #expect(try prune(before: 12, limit: 4, at: 4900) == 4)
        #expect(try count(world, "request") == 2)
        try world.store.arrange(at: Make.now) { (tx) throws in
            try tx.sql.run("UPDATE request SET at = at + 5000000 WHERE id = 'r4'")
        }
        #expect(try prune(before: 12, limit: 1, at: 4900) == 0)
        #expect(try prune(before: 12, limit: 1, at: 100) == 1)
        #expect(try prune(before: 101, limit: 1, at: 100) == 1)
    }
}
