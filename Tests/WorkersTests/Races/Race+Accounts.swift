import Dispatch
import Domain
import JSON
import Logging
import Storage
import Synchronization
import TestKit

@testable import Workers

/// Races that concern sessions, user names, and the verification of addresses.
extension Race {
    static let accounts: [Race] = [
        Race("Two logins on one terminal leave one session") {
            Contest(
                try AccountWorld().world,
                [anonymous(0, mark: "a"), anonymous(0, mark: "b")]
            )
        },
        Race("Two users who log in on one terminal leave one session") {
            let accounts = try AccountWorld()
            for (terminal, name) in ["lena", "anna"].enumerated() {
                try accounts.register(terminal + 1, ["username": .string(name)])
            }
            return Contest(accounts.world, ["lena", "anna"].map { login(0, ["username": .string($0)], mark: $0) })
        },
        Race("A logout code ends one other session") {
            let world = try sessions(3)
            let code = JSONValue.string(try logoutCode(world))
            return Contest(
                world,
                [1, 2].map { terminal in
                    ask(
                        0,
                        "session/terminate",
                        [
                            "terminalId": .string(World.terminal(terminal).text),
                            "logoutCode": code,
                        ],
                        mark: "\(terminal)"
                    )
                }
            )
        },
        Race("A token is refreshed once") {
            Contest(
                try sessions(1),
                ["a", "b"].map { ask(0, "session/refresh", [:], mark: $0) }
            )
        },
        Race("A session does nothing after its end") {
            let world = try World(devices: 1, users: 1)
            return Contest(world, [bind(0), ask(0, "account/logout", [:], mark: "out")])
        },
        Race("A username has one account") {
            Contest(
                try AccountWorld().world,
                [0, 1].map { terminal in
                    ask(
                        terminal,
                        "account/register",
                        with(password, ["username": "lena", "countryCode": "49"]),
                        token: nil
                    )
                }
            )
        },
        Race("An app's own id has one account") {
            Contest(
                try AccountWorld().world,
                [0, 1].map { terminal in
                    ask(
                        terminal,
                        "account/loginOrRegister",
                        with(password, ["uid": "id-1", "countryCode": "49"]),
                        token: nil
                    )
                }
            )
        },
        Race("A code logs in once") {
            let accounts = try AccountWorld()
            try accounts.register(0, email)
            let code = try accounts.code(1, "login", email)
            return Contest(
                accounts.world,
                [1, 2].map { terminal in
                    ask(
                        terminal,
                        "account/login",
                        with(email, ["code": .string(code), "countryCode": "49"]),
                        token: nil
                    )
                }
            )
        },
        Race("A code registers one account") {
            let accounts = try AccountWorld()
            let code = try accounts.code(0, "register", email)
            return Contest(
                accounts.world,
                [0, 1].map { terminal in
                    ask(
                        terminal,
                        "account/register",
                        with(
                            with(password, email),
                            ["code": .string(code), "countryCode": "49"]
                        ),
                        token: nil
                    )
                }
            )
        },
        Race("An address that two users prove concurrently becomes one user's") {
            let accounts = try AccountWorld()
            for (terminal, name) in ["lena", "anna"].enumerated() {
                try accounts.register(terminal, ["username": .string(name)])
            }
            let first = try accounts.code(0, "bind", email)
            accounts.world.clock.advance(seconds: 61)
            return Contest(
                accounts.world,
                [0, 1].map { terminal in
                    ask(
                        terminal,
                        "account/bindEmail",
                        with(email, ["code": .string(first), "countryCode": "49"]),
                        token: accounts.tokens[terminal]
                    )
                }
            )
        },
        Race("A ticket is used once") {
            let accounts = try AccountWorld()
            try accounts.ask(0, "loginAnonymous")
            let code = try accounts.code(0, "operation", email)
            let ticket = try accounts.ask(0, "verifyOperation", with(email, ["code": .string(code)])).result["ticket"]
            return Contest(
                accounts.world,
                ["a", "b"].map { mark in
                    ask(
                        0,
                        "account/register",
                        with(with(password, email), ["ticket": ticket, "countryCode": "49"]),
                        token: accounts.tokens[0],
                        mark: mark
                    )
                }
            )
        },
        Race("A code sets one new password") {
            let accounts = try AccountWorld()
            try accounts.register(0, email)
            let code = try accounts.code(1, "resetPassword", email)
            return Contest(
                accounts.world,
                [1, 2].map { terminal in
                    ask(
                        terminal,
                        "account/resetPassword",
                        with(
                            email,
                            [
                                "code": .string(code), "countryCode": "49",
                                "newPassword": .string("lamp over water \(terminal)"),
                            ]
                        ),
                        token: nil
                    )
                }
            )
        },
        Race("A link is followed once") {
            let accounts = try AccountWorld()
            try accounts.register(0, email)
            accounts.world.clock.advance(seconds: 3 * 86_400)
            let other: JSONObject = ["email": "thief@example.com"]
            let code = try accounts.code(0, "bind", other)
            try accounts.ask(0, "bindEmail", with(other, ["code": .string(code)]))
            let mail = try accounts.mails().first { $0.template == .addressChanged }
            let token = mail?.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
            return Contest(accounts.world, [follow(token), follow(token)])
        },
        Race("An anonymous user's data goes to one account") {
            let accounts = try AccountWorld()
            for (terminal, name) in ["lena", "anna"].enumerated() {
                try accounts.register(terminal + 1, ["username": .string(name)])
            }
            try accounts.world.makeDevices(1, online: true)
            try accounts.ask(0, "loginAnonymous")
            let anonymous = UserID(trusted: accounts.uids[0] ?? "")
            try accounts.world.write { (tx) throws in
                try tx.bindings.insert(
                    Binding(did: World.did(0), uid: anonymous, app: World.app, role: .special, boundAt: tx.now)
                )
            }
            return Contest(
                accounts.world,
                ["lena", "anna"].map { login(0, ["username": .string($0), "adopt": true], mark: $0) }
            )
        },
        Race("A mail is sent by one process") {
            let accounts = try AccountWorld()
            try accounts.ask(
                0,
                "sendCode",
                with(email, ["purpose": "register"])
            )
            return Contest(accounts.world, [send, send])
        },
    ]

    // MARK: Moves

    static let email: JSONObject = ["email": "a@example.com"]
    static let password: JSONObject = ["password": .string(AccountWorld.password)]

    private static func anonymous(_ terminal: Int, mark: String) -> Move {
        ask(
            terminal,
            "account/loginAnonymous",
            ["countryCode": "49"],
            token: nil,
            mark: mark
        )
    }

    static func login(_ terminal: Int, _ name: JSONObject, mark: String = "") -> Move {
        ask(terminal, "account/login", with(with(password, name), ["countryCode": "49"]), token: nil, mark: mark)
    }

    /// Returns a `World` in which user 0 has a session on each of `count` terminals.
    private static func sessions(_ count: Int) throws -> World {
        let world = try World(devices: 0, users: 1)
        try world.write { (tx) throws in
            for number in 1..<max(1, count) {
                var session = World.session(number, since: tx.now)
                session.uid = World.uid(0)
                try tx.sessions.begin(session, token: World.token(number))
            }
        }
        return world
    }

    private static func logoutCode(_ world: World) throws -> String {
        try world.write { tx in
            try tx.logoutCodes.make(World.uid(0), on: World.terminal(0), expiresAt: tx.now.adding(seconds: 300))
        }
    }

    /// Returns a move in which a visitor follows a link.
    private static func follow(_ token: String) -> Move {
        { world, racer in
            let links = LinkService(world.environment)
            let done = DispatchSemaphore(value: 0)
            let step = Step()
            racer.begin()
            Task(executorPreference: QueueExecutor()) {
                step.text.withLock { $0 = "pending" }
                let view = await links.follow(token)
                step.text.withLock { $0 = "\(view.step)" }
                done.signal()
            }
            done.wait()
            racer.end()
            return [["step": .string(step.text.withLock(\.self))]]
        }
    }

    /// The move in which a process begins to send the e-mails that are due.
    private static let send: Move = { world, racer in
        let sender = MessageSender(
            world.environment,
            routes: [:],
            logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
        )
        racer.begin()
        _ = sender.round()
        racer.end()
        return []
    }
}

/// A box in which another thread stores the step that a link's page shows (`LinkView.step`).
private final class Step: Sendable {
    let text = Mutex("")
}
