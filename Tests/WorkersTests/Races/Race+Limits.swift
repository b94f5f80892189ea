import Domain
import JSON
import Storage

@testable import Workers

/// Races that concern limits on numbers, such as the number of tries.
extension Race {
    static let limits: [Race] = [
        Race("Two concurrent wrong passcodes share a device's last try") {
            var limits = Limits()
            limits.counts.bindTriesPerDevice = 1
            return Contest(
                try World(devices: 1, users: 2, limits: limits),
                [bind(0, passcode: "wrong"), bind(1, passcode: "wrong")]
            )
        },
        Race("Two concurrent wrong passcodes of one user share the user's last try") {
            var limits = Limits()
            limits.counts.bindTriesPerUser = 1
            return Contest(
                try World(devices: 1, users: 1, limits: limits),
                ["a", "b"].map {
                    ask(0, "device/bind", with(did, ["passcode": "wrong"]), mark: $0)
                }
            )
        },
        Race("Two concurrent wrong passwords share an account's last try") {
            let accounts = try AccountWorld()
            try accounts.register(0, ["username": "lena"])
            accounts.world.environment.limits.passwordFailures = 1
            return Contest(accounts.world, [1, 2].map { login($0, wrongPassword) })
        },
        Race("Two concurrent wrong passwords under two names share an account's last try") {
            let accounts = try AccountWorld()
            try accounts.register(0, email)
            let params = with(email, ["countryCode": "49"])
            let code = try accounts.code(0, "bind", ["phone": "1512345678"])
            try accounts.ask(0, "bindPhone", ["phone": "1512345678", "code": .string(code)])
            accounts.world.environment.limits.passwordFailures = 1
            return Contest(
                accounts.world,
                [
                    login(1, with(params, ["password": "wrong password"])),
                    login(2, ["phone": "1512345678", "password": "wrong password"]),
                ]
            )
        },
        Race("A wrong code and the right one share a code's last try") {
            let accounts = try AccountWorld()
            let code = try accounts.code(0, "register", email)
            func check(_ code: String) -> JSONObject {
                with(email, ["code": .string(code), "purpose": "register", "countryCode": "49"])
            }
            for _ in 0..<4 {
                try accounts.ask(1, "checkCode", check(AccountWorld.wrong(code)))
            }
            return Contest(
                accounts.world,
                [AccountWorld.wrong(code), code].enumerated().map { terminal, code in
                    ask(terminal, "account/checkCode", check(code), token: nil)
                }
            )
        },
        Race("Of two codes requested concurrently the second must wait") {
            Contest(
                try AccountWorld().world,
                [0, 1].map { terminal in
                    ask(
                        terminal,
                        "account/sendCode",
                        with(email, ["purpose": "register", "countryCode": "49"]),
                        token: nil
                    )
                }
            )
        },
        Race("Two concurrent wrong secrets share a device's last try") {
            let world = try World(devices: 1, users: 1, bound: 1)
            let mac = String(repeating: "0", count: 12)
            for number in 0..<4 {
                world.broker.send(
                    "ll/v1/product/\(World.key.text)/\(mac)/register",
                    ["id": .string("w\(number)"), "mac": .string(mac), "passcode": "123456", "oldSecret": "wrong"]
                )
            }
            try world.runStatus()
            return Contest(
                world,
                ["a", "b"].map { register($0, mac: mac, secret: "wrong") }
            )
        },
        Race("Of two new devices one fits the product's limit") {
            var limits = Limits()
            limits.counts.registrationsPerProduct = 1
            return Contest(
                try World(devices: 1, users: 1, limits: limits),
                [register("a"), register("b", mac: "aabbccddee00")]
            )
        },
        Race("Of two new anonymous users one fits the app's limit") {
            let accounts = try AccountWorld()
            accounts.world.environment.limits.anonymousPerHour = 1
            return Contest(
                accounts.world,
                [0, 1].map {
                    ask($0, "account/loginAnonymous", ["countryCode": "49"], token: nil)
                }
            )
        },
        Race("Of two devices that a user binds one fits the user's limit") {
            var limits = Limits()
            limits.devicesPerUser = 1
            return Contest(
                try World(devices: 2, users: 1, limits: limits),
                [0, 1].map { device in
                    ask(
                        0,
                        "device/bind",
                        ["did": .string(World.did(device).text), "passcode": .string(World.passcode(device))],
                        mark: "\(device)"
                    )
                }
            )
        },
        Race("Of two users who bind a device one fits the device's limit") {
            var limits = Limits()
            limits.usersPerDevice = 1
            return Contest(try World(devices: 1, users: 2, limits: limits), [bind(0), bind(1)])
        },
        Race("Of two new homes one fits the user's limit") {
            var limits = Limits()
            limits.homesPerUser = 1
            return Contest(
                try World(devices: 0, users: 1, limits: limits),
                ["a", "b"].map { ask(0, "home/create", ["name": .string($0)], mark: $0) }
            )
        },
        Race("Of two invitations one fits the device's limit") {
            var limits = Limits()
            limits.invitationsPerDevice = 1
            return Contest(try World(devices: 1, users: 3, bound: 1, limits: limits), [1, 2].map { invitation($0) })
        },
        Race("Of two invitations one fits the inviter's limit") {
            var limits = Limits()
            limits.invitationsPerHour = 1
            return Contest(try World(devices: 1, users: 3, bound: 1, limits: limits), [1, 2].map { invitation($0) })
        },
        Race("A user who is invited twice concurrently has one invitation") {
            Contest(try World(devices: 1, users: 2, bound: 1), ["a", "b"].map { invitation(1, mark: $0) })
        },
    ]

    private static let wrongPassword: JSONObject = ["username": "lena", "password": "wrong password"]

    private static func invitation(_ user: Int, mark: String = "") -> Move {
        ask(
            0,
            "share/invite",
            with(did, ["way": "user", "guest": ["type": "uid", "value": .string(World.uid(user).text)]]),
            mark: "\(user)\(mark)"
        )
    }
}
