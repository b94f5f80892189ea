import Domain
import Foundation
import JSON
import Storage
import TestKit
import Testing
import Wire

@testable import Workers

/// Tests that compare bindings with a simple model, after several users' random actions.
///
/// With `LAMPLIGHTER_LONG=1`, the tests run far more sequences of actions.
@Suite("Bindings compared with a model")
struct BindingModelTests {
    private static let isLong = ProcessInfo.processInfo.environment["LAMPLIGHTER_LONG"] == "1"
    private static let seeds = 0..<(isLong ? 400 : 30)

    @Test("Whatever several users do, the bindings are the model's", arguments: seeds) func walk(
        _ seed: Int
    ) throws {
        var walk = try Walk(seed)
        for _ in 0..<40 {
            try walk.step()
            try walk.check()
        }
    }

    @Test("The bindings are the model's even if workers are killed at any step", arguments: seeds.dropFirst(15))
    func killed(
        _ seed: Int
    ) throws {
        var walk = try Walk(seed + 1000, isKilled: true)
        for _ in 0..<40 {
            try walk.step()
            try walk.check()
        }
    }
}

private struct Walk {
    static let devices = 2
    static let users = 5

    var random: Seed
    var model: BindingModel
    let world: World
    let isKilled: Bool
    var lastID = 0
    var deleted: Set<Int> = []
    /// The id of each invitation and the text of its QR code; the key is the invitation's number in the model.
    var made: [Int: (id: String, text: String?)] = [:]
    var trail: [String] = []
    /// Whether the store has changed since the workers last ran.
    var isUnsettled = false

    init(_ seed: Int, isKilled: Bool = false) throws {
        random = Seed(seed)
        self.isKilled = isKilled
        world = try World()
        try world.makeDevices(Self.devices)
        try world.makeUsers(Self.users)
        // The test extends the users' sessions, so that no session expires during the test.
        try world.write { try $0.sql.run("UPDATE session SET expiresAt = expiresAt * 2") }
        model = BindingModel(devices: Self.devices, now: world.clock.now.milliseconds)
    }

    // MARK: Steps

    mutating func step() throws {
        switch Int.random(in: 0..<40, using: &random) {
        case 0: try erase()
        case 1: try delete()
        case 2...6: try advance()
        default: try ask()
        }
    }

    private mutating func ask() throws {
        guard
            let user = (0..<Self.users).filter({ !model.erased.contains($0) })
                .randomElement(using: &random)
        else { return }
        let device = Int.random(in: 0..<Self.devices, using: &random)
        let other = Int.random(in: 0..<Self.users, using: &random)
        let did = JSONValue.string(World.did(device).text)
        let uid = JSONValue.string(World.uid(other).text)
        let number = model.invitations.keys.sorted().randomElement(using: &random)
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2 where !deleted.contains(device):
            let passcode = JSONValue.string(World.passcode(device))
            let wanted = model.bind(user, device)
            try expect(wanted, user, "device/bind", ["did": did, "passcode": passcode])
        case 3:
            try expect(model.unbind(user, device), user, "device/unbind", ["did": did])
        case 4: try invite(user, device, other)
        case 5: try invite(user, device, nil)
        case 6, 7:
            guard let number else { return }
            // In most cases, the user who answers the invitation is allowed to answer it.
            let guest = model.invitations[number]?.guest ?? user
            let who = Bool.random(using: &random) && !model.erased.contains(guest) ? guest : user
            try answer(who, number)
        case 8:
            guard let number, let known = made[number] else { return }
            let wanted = model.revoke(user, number)
            try expect(wanted, user, "share/revoke", ["sharingId": .string(known.id)])
        case 9:
            let wanted = model.remove(user, device, other)
            try expect(wanted, user, "device/removeUser", ["did": did, "uid": uid])
        default:
            let wanted = model.transfer(user, device, other)
            try expect(wanted, user, "share/transfer", ["did": did, "uid": uid])
        }
    }

    private mutating func invite(_ user: Int, _ device: Int, _ name: Int?) throws {
        let access = Bool.random(using: &random) ? "control" : "read"
        let minutes: Int64? = Bool.random(using: &random) ? .random(in: 1...30, using: &random) : nil
        let (number, code) = model.invite(user, device, name, access: access, minutes: minutes)
        var params: JSONObject = [
            "did": .string(World.did(device).text), "way": name == nil ? "qrcode" : "user", "access": .string(access),
            "guestMinutes": minutes.map { .integer($0) },
        ]
        if let name {
            params["guest"] = ["type": "uid", "value": .string(World.uid(name).text)]
        }
        let result = try expect(code, user, "share/invite", params)
        guard let number, let id = result?["sharingId"]?.stringValue else { return }
        made[number] = (id, result?["qrCode"]?.objectValue?["text"]?.stringValue)
    }

    private mutating func answer(_ user: Int, _ number: Int) throws {
        guard let known = made[number] else { return }
        let accepts = Int.random(in: 0..<4, using: &random) > 0
        try expect(
            model.answer(user, number, accepts),
            user,
            "share/answer",
            [
                "sharingId": known.text == nil ? .string(known.id) : nil, "qrText": known.text.map { .string($0) },
                "accept": .bool(accepts),
            ]
        )
    }

    private mutating func erase() throws {
        let user = Int.random(in: 0..<Self.users, using: &random)
        guard !model.erased.contains(user), model.erased.count < 2 else { return }
        trail.append("erase \(user)")
        isUnsettled = true
        model.erase(user)
        var isMore = true
        while isMore {
            isMore = try world.work { work in try Cancellation.step(World.uid(user), limit: 100, in: &work) }.value
        }
    }

    private mutating func delete() throws {
        guard deleted.isEmpty, Bool.random(using: &random) else { return }
        let device = Int.random(in: 0..<Self.devices, using: &random)
        trail.append("delete \(device)")
        isUnsettled = true
        deleted.insert(device)
        model.delete(device)
        _ = try world.work { work in
            try work.tx.lock(devices: [World.did(device)])
            try DeviceOwnership.forget(World.did(device), in: &work)
        }
    }

    private mutating func advance() throws {
        let minutes = Int64.random(in: 0...(Bool.random(using: &random) ? 20 : 900), using: &random)
        trail.append("advance \(minutes) min")
        world.clock.advance(seconds: minutes * 60)
        model.advance(minutes * 60_000)
        try run()
    }

    // MARK: The workers

    private mutating func run() throws {
        try world.run { environment in Interrupting(inner: ControlHandler(environment), interruption: interruption()) }
        try world.run { environment in Interrupting(inner: StatusHandler(environment), interruption: interruption()) }
    }

    private mutating func interruption() -> Interruption {
        guard isKilled, Int.random(in: 0..<3, using: &random) == 0 else { return Interruption() }
        return Interruption(Bool.random(using: &random) ? .before : .after)
    }

    /// Sends a request and compares the code of the answer with the expected code.
    @discardableResult
    private mutating func expect(
        _ code: String?,
        _ user: Int,
        _ method: String,
        _ params: JSONObject
    ) throws -> JSONObject? {
        lastID += 1
        let id = "q\(lastID)"
        let text = String(decoding: params.encoded(), as: UTF8.self)
        trail.append("\(user) \(method) \(text) \(code ?? "ok")")
        world.broker.forgetPublished()
        world.sendRequest(user, method, id: id, params)
        // One in eight requests is sent twice.
        if Int.random(in: 0..<8, using: &random) == 0 { world.sendRequest(user, method, id: id, params) }
        let failures: [Broker.Failure] = [.receive, .beforeFlush, .afterFlush]
        if isKilled, Int.random(in: 0..<3, using: &random) == 0 {
            world.broker.failure = failures.randomElement(using: &random)
        }
        try run()
        world.broker.failure = nil
        let answers = world.answers(user)
            .filter { $0["id"]?.stringValue == id }
        #expect(!answers.isEmpty, "\(trail.suffix(20))")
        #expect(answers.allSatisfy { $0 == answers.first }, "\(trail.suffix(20))")
        #expect(answers.first?.errorCode == code, "\(trail.suffix(20))")
        return answers.first?["result"]?.objectValue
    }

    // MARK: Checking

    mutating func check() throws {
        if isUnsettled { try run() }
        isUnsettled = false
        for device in 0..<Self.devices { try check(device) }
        try checkInvitations()
    }

    private func check(_ device: Int) throws {
        let did = World.did(device)
        let (bindings, record) = try world.read { tx in (try tx.bindings.all(of: did), try tx.devices.find(did)) }
        var found: [Int: BindingModel.Entry] = [:]
        for binding in bindings {
            guard let user = (0..<Self.users).first(where: { World.uid($0) == binding.uid }) else { continue }
            found[user] = BindingModel.Entry(
                role: binding.role.rawValue,
                access: binding.access.rawValue,
                boundAt: binding.boundAt.milliseconds,
                until: binding.guestUntil?.milliseconds
            )
        }
        #expect(found == model.bindings[device], "\(trail.suffix(20))")
        if !deleted.contains(device) {
            #expect(record?.ownership == Int64(1 + model.ownerships[device]), "\(trail.suffix(20))")
        }
        // The broker must retain a device's status for its bound users, and nobody else.
        for user in 0..<Self.users {
            let isKept = world.broker.retained[World.statusTopic(user, device)] != nil
            #expect(isKept == (found[user] != nil), "\(user): \(trail.suffix(20))")
        }
    }

    private func checkInvitations() throws {
        let stored = try world.read { tx in
            try made.compactMapValues { try tx.sharings.find(SharingID(trusted: $0.id)) }
        }
        for (number, _) in made {
            let wanted = model.invitations[number]
            let found = stored[number]
            #expect(
                found?.status.rawValue == wanted?.status,
                "\(number): \(trail.suffix(20))"
            )
            #expect(found?.inviter == wanted.map { World.uid($0.inviter) })
            #expect(found?.guest == wanted?.guest.map { World.uid($0) })
        }
    }
}
