import Domain
import JSON
import Testing

@testable import Workers

@Suite("Passwords")
struct PasswordMethodTests {
    private let world: AccountWorld
    private let email: JSONObject = ["email": "a@example.com"]
    private let password = JSONValue.string(AccountWorld.password)

    init() throws { world = try AccountWorld() }

    private func change(_ old: JSONValue?, _ new: JSONValue) throws -> JSONObject {
        var params: JSONObject = ["newPassword": new]
        params["oldPassword"] = old
        return try world.ask(0, "changePassword", params)
    }

    @Test("Changing the password ends all other sessions and notifies the mailbox")
    func changing() throws {
        try world.register(0, email)
        #expect(try world.login(1, email).isOK)
        _ = try world.mails()
        #expect(try change(password, "another password").isOK)
        #expect(try world.mails().map(\.template) == [.passwordChanged])
        let other = try world.ask(1, "whoami")
        #expect(other["error"]?.objectValue?["reason"] == "passwordChanged")
        #expect(try world.ask(0, "whoami").isOK)
        #expect(try !world.login(2, email).isOK)
        #expect(try world.login(2, email, password: "another password").isOK)
    }

    @Test("Without the right old password, or with a weak new one, nothing changes")
    func refused() throws {
        try world.register(0, email)
        #expect(try change("wrong password", "another password").errorCode == "InvalidCredentials")
        #expect(try change(nil, "another password").errorField == "params.oldPassword")
        #expect(try change(password, "12345678").errorField == "params.newPassword")
        #expect(try change(password, "a@example.com").errorCode == "PolicyRejected")
        #expect(try world.login(1, email).isOK)
    }

    @Test("An account without a password requires no old one")
    func first() throws {
        let phone: JSONObject = ["phone": "1512345678"]
        let code = try world.code(0, "login", phone)
        try world.ask(0, "login", ["phone": "1512345678", "code": .string(code)])
        #expect(try world.ask(0, "checkPassword", ["password": password]).result["match"] == false)
        #expect(try change(nil, password).isOK)
        #expect(try world.login(1, phone).isOK)
        #expect(try change(nil, "another password").errorField == "params.oldPassword")
    }

    // MARK: Resetting

    private func reset(_ terminal: Int, _ code: String, _ new: String) throws -> JSONObject {
        try world.ask(
            terminal,
            "resetPassword",
            ["email": "a@example.com", "code": .string(code), "newPassword": .string(new)]
        )
    }

    @Test(
        "A code resets the password once, ends all sessions, and unlocks an account that was locked after wrong tries"
    ) func resetting() throws {
        try world.register(0, email)
        for terminal in 100..<110 { _ = try world.login(terminal, email, password: "wrong password") }
        let code = try world.code(9, "resetPassword", email)
        #expect(try reset(9, code, "12345678").errorCode == "PolicyRejected")
        #expect(try reset(9, code, "another password").isOK)
        #expect(
            try world.ask(0, "whoami")["error"]?.objectValue?["reason"] == "passwordReset"
        )
        #expect(try world.login(1, email, password: "another password").isOK)
        #expect(try reset(9, code, "a third password").errorCode == "InvalidCode")
    }

    @Test("Of a hundred concurrent resets with the right code, exactly one succeeds") func parallelResets() throws {
        try world.register(0, email)
        let code = try world.code(9, "resetPassword", email)
        for terminal in 100..<200 {
            world.send(
                terminal,
                "resetPassword",
                [
                    "countryCode": "49", "email": "a@example.com", "code": .string(code),
                    "newPassword": .string("password of \(terminal)"),
                ]
            )
        }
        #expect(try world.answers().count { $0.isOK } == 1)
    }

    @Test("No step of a reset can be skipped, and a code with another purpose is refused")
    func steps() throws {
        try world.register(0, email)
        #expect(try reset(9, "123456", "another password").errorCode == "InvalidCode")
        for purpose in ["login", "register"] {
            let code = try world.code(9, purpose, email)
            #expect(try reset(9, code, "another password").errorCode == "InvalidCode")
        }
        let code = try world.code(9, "resetPassword", email)
        let other = try world.ask(
            9,
            "resetPassword",
            [
                "email": "b@example.com", "code": .string(code),
                "newPassword": "another password",
            ]
        )
        #expect(other.errorCode == "InvalidCode")
        #expect(try world.login(1, email).isOK)
    }

    @Test("An unverified address resets nothing")
    func unproved() throws {
        try world.register(0, ["username": "lena"])
        try world.ask(0, "updateProfile", email)
        _ = try world.mails()
        #expect(try world.code(9, "resetPassword", email).isEmpty)
        #expect(try world.ask(9, "requestPasswordReset", email).isOK)
        #expect(try world.mails().isEmpty)
    }

    @Test("A link is requested in the same way with or without an account")
    func link() throws {
        try world.register(0, email)
        _ = try world.mails()
        let known = try world.ask(1, "requestPasswordReset", email)
        let unknown = try world.ask(2, "requestPasswordReset", ["email": "b@example.com"])
        #expect(known.result == unknown.result && known.isOK && unknown.isOK)
        #expect(try world.mails().map(\.to) == ["a@example.com"])
    }
}
