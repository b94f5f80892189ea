import Domain
import JSON
import Storage

@testable import Workers

/// Races that concern a device's principal, its users and its identity.
extension Race {
    static let devices: [Race] = [
        Race("Of two users who bind a free device one becomes its special user") {
            Contest(try World(devices: 1, users: 2), [bind(0), bind(1)])
        },
        Race("If the special user leaves while another user binds, one special user is left") {
            let world = try World(devices: 1, users: 2, bound: 1)
            return Contest(world, [ask(0, "device/unbind", did), bind(1)])
        },
        Race("When both users leave, the device is free") {
            let world = try World(devices: 1, users: 2, bound: 2)
            return Contest(world, [ask(0, "device/unbind", did), ask(1, "device/unbind", did)])
        },
        Race("Two invitations accepted concurrently make one owner") {
            let world = try World(devices: 1, users: 3, bound: 1)
            return Contest(
                world,
                try [1, 2].map { user in
                    ask(user, "share/answer", ["sharingId": .string(try invite(user, world)), "accept": true])
                }
            )
        },
        Race("A device that is handed over twice has one new owner") {
            let world = try World(devices: 1, users: 3)
            try world.bind(0, 0, .owner)
            for user in [1, 2] { try world.bind(0, user, .guest) }
            return Contest(
                world,
                [1, 2].map { user in
                    ask(0, "share/transfer", with(did, ["uid": .string(World.uid(user).text)]), mark: "\(user)")
                }
            )
        },
        Race("A device that is handed over during an invitation has one owner") {
            let world = try World(devices: 1, users: 3, bound: 1)
            let other = try invite(2, world)
            try answer(1, try invite(1, world), world)
            return Contest(
                world,
                [
                    ask(0, "share/transfer", with(did, ["uid": .string(World.uid(1).text)])),
                    ask(2, "share/answer", ["sharingId": .string(other), "accept": true]),
                ]
            )
        },
        Race("An invitation is answered once") {
            let world = try World(devices: 1, users: 2, bound: 1)
            let id = JSONValue.string(try invite(1, world))
            return Contest(
                world,
                [true, false].map { ask(1, "share/answer", ["sharingId": id, "accept": .bool($0)], mark: "\($0)") }
            )
        },
        Race("A scanned invitation lets one user in") {
            let world = try World(devices: 1, users: 3, bound: 1)
            let text = JSONValue.string(try drawnInvitation(world))
            return Contest(world, [1, 2].map { ask($0, "share/answer", ["qrText": text, "accept": true]) })
        },
        Race("An invitation is answered or revoked") {
            let world = try World(devices: 1, users: 2, bound: 1)
            let id = JSONValue.string(try invite(1, world))
            return Contest(
                world,
                [ask(1, "share/answer", ["sharingId": id, "accept": true]), ask(0, "share/revoke", ["sharingId": id])]
            )
        },
        Race("A hardware address that registers concurrently has one device") {
            Contest(try World(devices: 1, users: 1), [register("a"), register("b")])
        },
        Race("A device that registers while a user binds it remotely is one device") {
            let world = try World(devices: 1, users: 1)
            try world.write { (tx) throws in
                var product = World.product
                product.remoteBind = .secret
                try tx.products.save(product, secret: "product-secret")
            }
            return Contest(
                world,
                [
                    register("a"),
                    ask(
                        0,
                        "device/bindRemote",
                        ["productKey": .string(World.key.text), "mac": .string(mac), "productSecret": "product-secret"]
                    ),
                ]
            )
        },
        Race("A reset device keeps no earlier user") {
            let world = try World(devices: 1, users: 2, bound: 1)
            try world.write { (tx) throws in try tx.devices.allowReset(World.did(0), until: tx.now.adding(seconds: 600))
            }
            return Contest(world, [register("a", mac: String(repeating: "0", count: 12)), bind(1)])
        },
    ]

    // MARK: Moves

    static let mac = "aabbccddeeff"
    static let did: JSONObject = ["did": .string(World.did(0).text)]

    static func with(_ object: JSONObject, _ more: JSONObject) -> JSONObject {
        var all = object
        for member in more.members { all[member.key] = member.value }
        return all
    }

    static func bind(_ user: Int, passcode: String = World.passcode(0)) -> Move {
        ask(user, "device/bind", with(did, ["passcode": .string(passcode)]))
    }

    static func register(_ id: String, mac: String = mac, secret: String? = nil) -> Move {
        tell(
            "ll/v1/product/\(World.key.text)/\(mac)/register",
            ["id": .string(id), "mac": .string(mac), "passcode": "123456", "oldSecret": secret.map { .string($0) }]
        )
    }

    /// Lets user 0 invite another user, and returns the invitation's id.
    static func invite(_ user: Int, _ world: World) throws -> String {
        world.sendRequest(
            0,
            "share/invite",
            id: "invite-\(user)",
            with(did, ["way": "user", "guest": ["type": "uid", "value": .string(World.uid(user).text)]])
        )
        try world.runControl()
        return world.answers().last?.result["sharingId"]?.stringValue ?? ""
    }

    static func answer(_ user: Int, _ id: String, _ world: World) throws {
        world.sendRequest(user, "share/answer", id: "answer-\(user)", ["sharingId": .string(id), "accept": true])
        try world.runControl()
    }

    /// Lets user 0 create an invitation by QR code, and returns the text of the code.
    private static func drawnInvitation(_ world: World) throws -> String {
        world.sendRequest(0, "share/invite", id: "invite", with(did, ["way": "qrcode"]))
        try world.runControl()
        return world.answers().last?.result["qrCode"]?.objectValue?["text"]?.stringValue ?? ""
    }
}

extension Race.Contest { init(_ world: World, _ moves: [Race.Move]) { self.init(world: world, moves: moves) } }
