import Domain
import JSON
import Storage
import Testing
import Wire

@testable import Workers

@Suite("Expiry of invitations and guests")
struct BindingExpiryTests {
    private static let did = JSONValue.string(World.did(0).text)

    /// Returns a `World` with one device, whose special user is user 0, and with further users.
    private func world(users: Int = 3) throws -> World { try World(devices: 1, online: true, users: users, bound: 1) }

    /// Sends a request, runs the control worker, and returns the result of the answer.
    @discardableResult
    private func ask(
        _ world: World,
        _ user: Int,
        _ method: String,
        _ params: JSONObject
    ) throws -> JSONObject {
        let id = "\(user)-\(world.broker.acknowledged)"
        world.sendRequest(user, method, id: id, params)
        try world.runControl()
        let answer = try #require(
            world.answers(user).last { $0["id"] == .string(id) }
        )
        return answer
    }

    private func invite(_ world: World, _ user: Int, _ more: JSONObject) throws -> String {
        var params: JSONObject = ["did": Self.did]
        for member in more.members { params[member.key] = member.value }
        let answer = try ask(world, user, "share/invite", params)
        return try #require(answer["result"]?.objectValue?["sharingId"]?.stringValue)
    }

    private func invite(_ world: World, guest: Int, minutes: Int64? = nil) throws -> String {
        try invite(
            world,
            0,
            [
                "way": "user", "guestMinutes": minutes.map { .integer($0) },
                "guest": ["type": "uid", "value": .string(World.uid(guest).text)],
            ]
        )
    }

    private func pushes(_ world: World, _ user: Int, _ leaf: StaticString) -> [JSONObject] {
        world.broker.published(to: World.topics.user(World.uid(user), leaf))
    }

    @Test("An invitation lives 24 hours and a code 15 minutes, and both sides are told when it ends")

    func invitations() throws {
        let world = try world()
        let named = try invite(world, guest: 1)
        let code = try invite(world, 0, ["way": "qrcode"])
        world.broker.forgetPublished()

        world.clock.advance(seconds: 899)
        try world.runControl()
        #expect(pushes(world, 0, "share").isEmpty)
        world.clock.advance(seconds: 1)
        try world.runControl()
        #expect(pushes(world, 0, "share").map { $0["sharingId"] } == [.string(code)])
        world.clock.advance(seconds: 86_400 - 900)
        try world.runControl()

        for user in 0...1 {
            let last = try #require(pushes(world, user, "share").last)
            #expect(last["sharingId"] == .string(named) && last["status"] == "expired")
        }
        let answer = try ask(world, 1, "share/answer", ["sharingId": .string(named), "accept": true])
        #expect(answer.errorCode == "Expired")
    }

    @Test("A device doesn't pass to an expired guest, even before the sweep") func transfer() throws {
        let world = try world()
        let sharing = try invite(world, guest: 1, minutes: 10)
        try ask(world, 1, "share/answer", ["sharingId": .string(sharing), "accept": true])
        world.clock.advance(seconds: 600)
        let answer = try ask(world, 0, "share/transfer", ["did": Self.did, "uid": .string(World.uid(1).text)])
        #expect(answer.errorCode == "ResourceNotFound")
    }

    @Test("An expired guest is refused, even before the sweep")
    func unswept() throws {
        let world = try world()
        let named = try invite(world, guest: 1)
        world.clock.advance(seconds: 86_400)

        world.sendRequest(1, "share/answer", id: "late", ["sharingId": .string(named), "accept": true])
        try world.runControl()

        let answers = world.answers(1)
        #expect(answers.first?.errorCode == "Expired")
        #expect(try world.count("binding") == 1)
    }

    @Test("A guest with limited time loses access when it is over, and both sides are told")
    func guests() throws {
        let world = try world()
        let named = try invite(world, guest: 1, minutes: 5)
        try ask(world, 1, "share/answer", ["sharingId": .string(named), "accept": true])
        try world.runStatus()
        #expect(world.broker.retained[World.statusTopic(1, 0)] != nil)
        world.broker.forgetPublished()

        world.clock.advance(seconds: 300)
        let answer = try ask(world, 1, "device/status", ["did": Self.did])
        try world.runControl()
        try world.runStatus()

        #expect(answer.errorCode == "NotBound")
        #expect(try world.read { try $0.bindings.find(World.did(0), World.uid(1)) } == nil)
        #expect(world.broker.retained[World.statusTopic(1, 0)] == nil)
        let told = try #require(pushes(world, 1, "device").first)
        #expect(told["type"] == "unbound" && told["reason"] == "expired")
        #expect(pushes(world, 0, "device").contains { $0["type"] == "usersChanged" })
        for user in 0...1 {
            #expect(pushes(world, user, "share").last?["status"] == "expired")
        }
    }

    // MARK: Before the sweep

    /// Returns a `World` in which the binding of user 1, a guest, has expired but isn't deleted yet.
    private func overdue() throws -> World {
        let world = try world()
        let named = try invite(world, guest: 1, minutes: 5)
        try ask(world, 1, "share/answer", ["sharingId": .string(named), "accept": true])
        try world.runStatus()
        world.clock.advance(seconds: 300)
        world.broker.forgetPublished()
        return world
    }

    @Test("An expired guest gets no status, even before the sweep")
    func noStatus() throws {
        let world = try overdue()
        world.sendReport(0, ["data": ["level": 33]])
        try world.runStatus()
        #expect(!world.broker.published(to: World.statusTopic(0, 0)).isEmpty)
        #expect(world.broker.published(to: World.statusTopic(1, 0)).isEmpty)
    }

    @Test("A code accepted by an expired guest is valid, even before the sweep")
    func codeFromBefore() throws {
        let world = try world()
        let named = try invite(world, guest: 1, minutes: 5)
        try ask(world, 1, "share/answer", ["sharingId": .string(named), "accept": true])
        let made = try ask(world, 0, "share/invite", ["did": Self.did, "way": "qrcode"])
        let code = made["result"]?.objectValue?["qrCode"]?.objectValue?["text"]
        world.clock.advance(seconds: 300)
        world.broker.forgetPublished()

        let answer = try ask(world, 1, "share/answer", ["qrText": code, "accept": true])

        #expect(answer.isOK)
        let binding = try world.read { try $0.bindings.find(World.did(0), World.uid(1)) }
        #expect(binding?.role == .guest && binding?.guestUntil == nil)
        #expect(pushes(world, 1, "device").map { $0["type"] }.prefix(2) == ["unbound", "bound"])
        let first = try world.read { try $0.sharings.find(SharingID(trusted: named)) }
        #expect(first?.status == .expired)
    }

    @Test("An expired guest can be invited again before the sweep, and the invitation stays")

    func invitedAgain() throws {
        let world = try overdue()
        let again = try invite(world, guest: 1)
        try world.runControl()
        let stored = try world.read { try $0.sharings.find(SharingID(trusted: again)) }
        #expect(stored?.status == .pending)
    }

    @Test("A right passcode doesn't bind an expired guest while the device has an owner") func bindAgain() throws {
        let world = try overdue()
        let answer = try ask(world, 1, "device/bind", ["did": Self.did, "passcode": .string(World.passcode(0))])
        #expect(answer.errorCode == "Forbidden")
    }

    @Test("If the owner leaves, an expired guest is told of the expiry, and not of a revocation")

    func ownerLeaves() throws {
        let world = try overdue()

        #expect(try ask(world, 0, "device/unbind", ["did": Self.did]).isOK)

        #expect(pushes(world, 1, "device").map { $0["reason"] } == ["expired"])
        #expect(pushes(world, 0, "device").last { $0["type"] == "unbound" }?["reason"] == "unbound")
        #expect(pushes(world, 1, "share").last?["status"] == "expired")
    }

    @Test("If the owner's account is erased, an expired guest is told of the expiry") func ownerIsErased() throws {
        let world = try overdue()

        var isMore = true
        while isMore {
            isMore = try world.environment.work(publishedBy: .session) { work in
                try Cancellation.step(World.uid(0), limit: 100, in: &work)
            }
        }
        try world.runSession()

        #expect(pushes(world, 1, "device").map { $0["reason"] } == ["expired"])
    }

    @Test("Many that expire at the same moment are ended in steps")
    func steps() throws {
        var limits = Limits()
        limits.bindingStep = 3
        let world = try World(limits: limits)
        try world.makeDevices(1)
        try world.makeUsers(1)
        try world.bind(0, 0)
        for _ in 0..<8 { _ = try invite(world, 0, ["way": "qrcode"]) }
        world.broker.forgetPublished()

        world.clock.advance(seconds: 900)
        try world.runControl()

        #expect(pushes(world, 0, "share").count == 8)
        let open = try world.read { try $0.sharings.open(of: World.did(0)) }
        #expect(open.isEmpty)
    }

    @Test("Ended invitations are deleted after their time, and open ones are kept")
    func forgetting() throws {
        let world = try world()
        let ended = try invite(world, guest: 1)
        try ask(world, 1, "share/answer", ["sharingId": .string(ended), "accept": false])
        let kept = try invite(world, guest: 2)
        try ask(world, 2, "share/answer", ["sharingId": .string(kept), "accept": true])

        world.clock.advance(seconds: Limits().endedInvitationSeconds + 1)
        try world.runMaintenance()

        let (gone, there) = try world.read { tx in
            (try tx.sharings.find(SharingID(trusted: ended)), try tx.sharings.find(SharingID(trusted: kept)))
        }
        #expect(gone == nil && there?.status == .accepted)
    }

    @Test("The store contains neither names nor codes of invitations in clear")
    func secrets() throws {
        let world = try world()
        let answer = try ask(world, 0, "share/invite", ["did": Self.did, "way": "qrcode"])
        let code = answer["result"]?.objectValue?["qrCode"]?.objectValue?["text"]?.stringValue
        try ask(
            world,
            0,
            "share/invite",
            ["did": Self.did, "way": "user", "guest": ["type": "email", "value": "somebody.secret@example.com"]]
        )

        let rows = try world.read { tx in
            try tx.sql.query("SELECT * FROM sharing") { row in
                (0..<17).map { _ in row.next(String.self) }.joined(separator: " ")
            }
        }.joined(separator: " ")
        #expect(!rows.contains(try #require(code?.split(separator: ":").last)))
        #expect(!rows.contains("somebody.secret") && rows.contains("s•••@example.com"))
    }
}
