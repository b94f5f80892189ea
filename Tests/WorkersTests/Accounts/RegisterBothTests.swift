import Domain
import JSON
import Testing

@testable import Workers

@Suite("Registering with two addresses, and by number")
struct RegisterBothTests {
    private static let password = JSONValue.string(AccountWorld.password)
    private static let phone: JSONObject = ["phone": "+491512345678"]
    private static let email: JSONObject = ["email": "a@example.com"]

    private func params(_ more: JSONObject) -> JSONObject {
        var params: JSONObject = ["password": Self.password]
        for object in [Self.phone, Self.email, more] {
            for member in object.members { params[member.key] = member.value }
        }
        return params
    }

    @Test("A code proves the phone, and the e-mail address is pending until its link is followed")
    func phoneProved() async throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", Self.phone)
        let user = try world.ask(0, "register", params(["code": .string(code)])).user
        #expect(user["phone"] == "+491512345678" && user["phoneVerified"] == true)
        #expect(user["username"] == "+491512345678")
        #expect(user["pendingEmail"] == "a@example.com" && user["emailVerified"] == false)
        #expect(try world.login(1, Self.phone).isOK)
        #expect(try world.login(1, Self.email).errorCode == "InvalidCredentials")
        let mail = try #require(try world.mails().last { $0.template == .verifyEmail })
        let token = mail.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
        #expect(await LinkService(world.world.environment).follow(token).step == .done)
        #expect(try world.user(0)["emailVerified"] == true)
        #expect(try world.login(1, Self.email).user["uid"] == user["uid"])
    }

    @Test("A code proves the e-mail address, and the phone is pending until its own code")
    func emailProved() throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", Self.email)
        let user = try world.ask(0, "register", params(["username": "lena", "code": .string(code)])).user
        #expect(user["emailVerified"] == true && user["username"] == "lena")
        #expect(user["pendingPhone"] == "+491512345678" && user["phoneVerified"] == false)
        #expect(try world.login(1, Self.email).isOK)
        #expect(try world.login(1, Self.phone).errorCode == "InvalidCredentials")
        var bind = Self.phone
        bind["code"] = .string(try world.code(0, "bind", Self.phone))
        #expect(try world.ask(0, "bindPhone", bind).user["phoneVerified"] == true)
        #expect(try world.login(1, Self.phone).user["uid"] == user["uid"])
    }

    @Test("A ticket proves the address for which it was issued")
    func ticket() throws {
        let world = try AccountWorld()
        try world.ask(0, "loginAnonymous")
        var proof = Self.email
        proof["code"] = .string(try world.code(0, "operation", Self.email))
        let ticket = try world.ask(0, "verifyOperation", proof).result["ticket"] ?? .null
        let user = try world.ask(0, "register", params(["ticket": ticket])).user
        #expect(user["emailVerified"] == true && user["phoneVerified"] == false)
        #expect(user["username"] == nil)
    }

    @Test("A wrong code proves neither address, and counts as a try for both")
    func wrong() throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", Self.email)
        let wrong = params(["code": .string(AccountWorld.wrong(code))])
        for _ in 0..<5 {
            #expect(try world.ask(0, "register", wrong).errorCode == "InvalidCode")
        }
        let right = params(["code": .string(code)])
        #expect(try world.ask(0, "register", right).errorCode == "InvalidCode")
        #expect(try world.ask(0, "register", params([:])).errorField == "params.code")
        #expect(try world.world.count("account") == 0)
    }

    @Test(
        "If the app requires no code for e-mail addresses, a phone beside one is pending, whatever the phone policy is"
    ) func unproved() throws {
        for isOn in [true, false] {
            let world = try AccountWorld(["emailRegistration": "link", "phoneRegistration": .bool(isOn)])
            let answer = try world.ask(0, "register", params(["username": "lena"]))
            #expect(answer.isOK && answer.user["phoneVerified"] == false)
            #expect(answer.user["pendingPhone"] == "+491512345678")
            #expect(try world.mails().map(\.template) == [.verifyEmail])
            #expect(try world.login(1, Self.email).isOK)
            #expect(try world.login(1, Self.phone).errorCode == "InvalidCredentials")
        }
    }

    @Test("A pending address that another user proved is answered like a free one, and its owner is notified")
    func taken() throws {
        for isRevealed in [false, true] {
            let world = try AccountWorld(["revealAccounts": .bool(isRevealed)])
            try world.register(0, Self.phone)
            let code = try world.code(1, "register", Self.email)
            let answer = try world.ask(1, "register", params(["code": .string(code)]))
            #expect(answer.errorCode == (isRevealed ? "Duplicated" : nil))
            let told = try world.mails().map(\.template)
            #expect(told == (isRevealed ? [] : [.addressTaken]))
            #expect(try world.login(2, Self.phone).isOK, "it is the owner's")
        }
    }

    @Test(
        "The proved phone is accepted as username in any of its forms",
        arguments: ["+491512345678", "49-1512345678", "0151 2345678", "1512345678"]
    )
    func named(_ name: String) throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", Self.phone)
        var params = Self.phone
        params["password"] = Self.password
        params["username"] = .string(name)
        params["code"] = .string(code)
        #expect(try world.ask(0, "register", params).user["username"] == "+491512345678")
        #expect(try world.login(1, ["username": .string(name)]).isOK)
    }

    @Test("An unproved phone can't be a username")
    func namedUnproved() throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", Self.email)
        for username in ["+491512345678", "0151 999999"] {
            let answer = try world.ask(0, "register", params(["username": .string(username), "code": .string(code)]))
            #expect(answer.errorField == "params.username")
        }
        let answer = try world.ask(0, "register", params(["username": "lena", "code": .string(code)]))
        #expect(answer.isOK, "the code stays good")
    }

    @Test("A name of a few digits logs in, also as account")
    func numbered() throws {
        let world = try AccountWorld()
        let uid = try world.register(0, ["username": "1001"]).user["uid"]
        for field in ["username", "account"] { #expect(try world.login(1, [field: "1001"]).user["uid"] == uid) }
    }

    @Test("Without a country, a request has its phone's country or the app's default")
    func country() throws {
        let world = try AccountWorld(["defaultCountryCode": "86"])
        func user(_ terminal: Int, _ method: String, _ params: JSONObject) throws -> JSONObject {
            world.send(terminal, method, params)
            return try world.answers(terminal).last?.user ?? [:]
        }
        #expect(try user(0, "loginAnonymous", [:])["countryCode"] == "86")
        let code = try world.code(1, "login", ["account": "+491512345678"])
        let params: JSONObject = ["account": "+491512345678", "code": .string(code)]
        #expect(try user(1, "login", params)["countryCode"] == "49")
    }
}
