import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Profiles and addresses")
struct ProfileTests {
    private let world: AccountWorld
    private let email: JSONObject = ["email": "a@example.com"]

    init() throws { world = try AccountWorld() }

    private func update(_ terminal: Int, _ params: JSONObject) throws -> JSONObject {
        try world.ask(terminal, "updateProfile", params)
    }

    @Test("Given members are stored, and absent or null members are unchanged")
    func fields() throws {
        try world.register(0, ["username": "lena"])
        let fields: JSONObject = [
            "nickname": "Lena", "tempUnit": 2, "timezone": "Asia/Shanghai", "latitude": 52.5, "longitude": 13.4,
            "name": "L", "gender": "female", "birthday": "1990-01-01", "address": "Lampenweg 1", "remark": "hm",
            "language": "zh-CN", "custom": ["a": ["b": [1]]],
        ]
        for member in fields.members {
            let user = try update(0, [member.key: member.value].object).user
            #expect(user[member.key] == member.value)
        }
        let user = try update(0, ["nickname": "M", "name": .null]).user
        for member in fields.members where member.key != "nickname" { #expect(user[member.key] == member.value) }
        #expect(try world.user(0) == user)
    }

    @Test(
        "Invalid fields are named, and nothing is changed",
        arguments: [
            ("nickname", 5), ("tempUnit", 3), ("timezone", "Mars/Olympus"), ("timezone", "../etc/passwd"),
            ("latitude", 90.1), ("custom", "x"), ("gender", "f"), ("birthday", "soon"), ("birthday", "1990-02-30"),
            ("birthday", "90-1-1"), ("email", "nonsense"), ("username", ""),
        ] as [(String, JSONValue)]
    )
    func bad(_ field: String, _ value: JSONValue) throws {
        try world.register(0, ["username": "lena"])
        let before = try world.user(0)
        let answer = try update(0, JSONObject([("address", "x"), (field, value)]))
        #expect(answer.errorCode == "InvalidRequest" && answer.errorField == "params.\(field)")
        #expect(try world.user(0) == before)
    }

    @Test("If an address or username is changed too, an invalid profile is reported beside the success")
    func profileError() throws {
        try world.register(0, ["username": "lena"])
        let answer = try update(0, ["username": "lena2", "tempUnit": 3])
        #expect(answer.user["username"] == "lena2")
        #expect(answer.result["profileError"]?.objectValue?["code"] == "InvalidRequest")
    }

    @Test("An address given here neither logs in nor blocks its owner")
    func writtenDown() throws {
        try world.register(0, ["username": "lena"])
        let user = try update(0, ["email": "a@example.com"]).user
        #expect(user["emailVerified"] == false)
        #expect(try world.mails().map(\.template) == [.verifyEmail])
        #expect(try update(0, ["phone": "1512345678"]).user["phoneVerified"] == false)
        for name in [email, ["phone": "1512345678"]] as [JSONObject] {
            #expect(try world.login(1, name).errorCode == "InvalidCredentials")
        }
        #expect(try world.register(2, email).isOK)
        #expect(try world.user(0)["email"] == nil)
    }

    @Test("A new address is pending until its link is followed, and the old one works until then")

    func pending() async throws {
        try world.register(0, email)
        let other: JSONObject = ["email": "b@example.com"]
        let user = try update(0, other).user
        #expect(user["email"] == "a@example.com" && user["emailVerified"] == false)
        #expect(user["pendingEmail"] == "b@example.com")
        #expect(try world.login(1, email).isOK)
        #expect(try world.login(2, other).errorCode == "InvalidCredentials")
        let mail = try #require(try world.mails().last { $0.template == .verifyEmail })
        #expect(mail.to == "b@example.com")
        #expect(try world.ask(3, "requestPasswordReset", email).isOK)
        #expect(try world.ask(3, "requestPasswordReset", other).isOK)
        #expect(try world.mails().map(\.to) == ["a@example.com"])

        let token = mail.params["url"]?.split(separator: "/").last.map(String.init) ?? ""
        #expect(await LinkService(world.world.environment).follow(token).step == .done)
        let after = try world.user(0)
        #expect(after["email"] == "b@example.com" && after["emailVerified"] == true)
        #expect(after["pendingEmail"] == nil)
        let told = try world.mails()
        #expect(told.map(\.to) == ["a@example.com"] && told.map(\.template) == [.addressChanged])
        #expect(try world.login(1, email).errorCode == "InvalidCredentials")
        #expect(try world.login(2, other).isOK)
    }

    @Test("Another user's address is pending like any other, and its owner is notified") func pendingTaken() throws {
        try world.register(0, email)
        try world.register(1, ["email": "owner@example.com"])
        try world.register(2, ["phone": "1512345678"])
        _ = try world.mails()
        func told(_ params: JSONObject) throws -> [OutgoingMessage] {
            #expect(try update(0, params).isOK)
            return try world.mails()
        }
        let taken = try told(["email": "owner@example.com"])
        #expect(taken.map(\.template) == [.addressTaken] && taken[0].to == "owner@example.com")
        #expect(try world.user(0)["pendingEmail"] == "owner@example.com")
        #expect(try told(["email": "free@example.com"]).map(\.template) == [.verifyEmail])
        #expect(try told(["phone": "1512345678"]).map(\.template) == [.addressTaken])
        #expect(try told(["phone": "1519999999"]).isEmpty)
        #expect(try told(["phone": "1512345678"]).isEmpty, "once a day")

        let open = try AccountWorld(["revealAccounts": true])
        try open.register(0, email)
        try open.register(1, ["username": "lena"])
        let refusal = try open.ask(1, "updateProfile", ["email": "a@example.com", "username": "l2"])
        #expect(refusal.errorCode == "Duplicated" && refusal.errorField == "params.email")
        #expect(try open.user(1)["username"] == "lena")
    }

    @Test("The app's own data has a total limit, and null removes the picture")
    func bounds() throws {
        try world.register(0, ["username": "lena"])
        let half = JSONValue.string(String(repeating: "x", count: 9000))
        #expect(try update(0, ["custom": ["a": half]]).isOK)
        let refusal = try update(0, ["custom": ["b": half]])
        #expect(refusal.errorCode == "InvalidRequest" && refusal.errorField == "params.custom")
        #expect(try update(0, ["birthday": "1990-1-1"]).user["birthday"] == "1990-01-01")
        #expect(try world.ask(0, "setAvatar", ["data": "iVBORw0KGgoAAAAA"]).isOK)
        let null = JSONObject(members: [.init(key: "data", value: .null)])
        #expect(try world.ask(0, "setAvatar", null).isOK)
        #expect(try world.user(0)["avatarUrl"] == nil)
        #expect(try world.world.count("avatar") == 0)
        #expect(try world.ask(0, "setAvatar").errorField == "params.data")
    }

    @Test("A username can be changed to a free one, unless the app forbids it")
    func username() throws {
        try world.register(0, ["username": "lena"])
        try world.register(1, ["username": "anna"])
        #expect(try update(0, ["username": "ANNA"]).errorCode == "Duplicated")
        #expect(try update(0, ["username": "LENA"]).user["username"] == "LENA")
        let strict = try AccountWorld(["usernameChangeable": false])
        try strict.register(0, ["username": "lena"])
        #expect(
            try strict.ask(0, "updateProfile", ["username": "x"]).errorCode == "PolicyRejected"
        )
    }

    @Test("Others see nickname and picture, and users of other apps don't exist")
    func others() throws {
        try world.register(0, email)
        _ = try update(0, ["nickname": "Lena", "name": "secret"])
        try world.register(1, ["username": "anna"])
        let uid = JSONValue.string(world.uids[0] ?? "")
        #expect(try world.ask(1, "getUser", ["uid": uid]).result == ["uid": uid, "nickname": "Lena"])
        #expect(try world.ask(0, "getUser", ["uid": uid]).result["email"] == "a@example.com")
        let params: JSONObject = [
            "username": "x", "password": .string(AccountWorld.password),
        ]
        try world.ask(2, "register", params, app: "other")
        #expect(
            try world.ask(2, "getUser", ["uid": uid], app: "other").errorCode
                == "ResourceNotFound"
        )
    }

    @Test("A picture's type is recognized by its bytes")
    func avatar() throws {
        try world.register(0, ["username": "lena"])
        let answer = try world.ask(0, "setAvatar", ["data": "iVBORw0KGgoAAAAA"])
        let url = try #require(answer.result["avatarUrl"]?.stringValue)
        #expect(try world.user(0)["avatarUrl"] == .string(url))
        let digest = url.split(separator: "/").last.map(String.init) ?? ""
        let image = try world.world.read { try $0.avatars.find(digest) }
        #expect(image?.mediaType == "image/png" && image?.bytes.count == 12)
        for bad in ["R0lGODlhAAAA", "PHN2Zz4=", "no base64!", ""] {
            let refusal = try world.ask(0, "setAvatar", ["data": .string(bad)])
            #expect(refusal.errorField == "params.data")
        }
    }

    // MARK: Binding

    private func bind(_ terminal: Int, _ email: String) throws -> JSONObject {
        let code = try world.code(terminal, "bind", ["email": .string(email)])
        return try world.ask(terminal, "bindEmail", ["email": .string(email), "code": .string(code)])
    }

    @Test("A bound address replaces the old one, which gets a link that undoes the change")
    func binding() throws {
        try world.register(0, email)
        let answer = try bind(0, "b@example.com")
        #expect(answer.user["email"] == "b@example.com" && answer.user["emailVerified"] == true)
        let mails = try world.mails()
        #expect(mails.map(\.to) == ["a@example.com"])
        #expect(mails.map(\.template) == [.addressChanged])
        #expect(try world.login(1, ["email": "b@example.com"]).isOK)
        #expect(try world.login(1, email).errorCode == "InvalidCredentials")
    }

    @Test("A proved address stays with its owner, and an unproved one is removed") func owners() throws {
        try world.register(0, email)
        try world.register(1, ["username": "anna"])
        world.world.clock.advance(seconds: 61)
        let refusal = try bind(1, "a@example.com")
        #expect(refusal.errorCode == "Duplicated" && refusal.errorField == "params.email")

        try world.ask(0, "updateProfile", ["phone": "1512345678"])
        let code = try world.code(1, "bind", ["phone": "1512345678"])
        #expect(
            try world.ask(1, "bindPhone", ["phone": "1512345678", "code": .string(code)]).isOK
        )
        #expect(try world.user(0)["phone"] == nil)
    }

    @Test("A number used as a username is removed with the number")
    func trojanIdentifier() throws {
        let phone: JSONObject = ["phone": "1512345678"]
        let code = try world.code(0, "login", phone)
        try world.ask(0, "login", ["phone": "1512345678", "code": .string(code)])
        try world.ask(0, "changePassword", ["newPassword": .string(AccountWorld.password)])
        let other = try world.code(0, "bind", ["phone": "1519999999"])
        let user = try world.ask(0, "bindPhone", ["phone": "1519999999", "code": .string(other)]).user
        #expect(user["username"] == "+491519999999")
        #expect(try world.login(1, phone).errorCode == "InvalidCredentials")
        #expect(try world.login(1, ["account": "1512345678"]).errorCode == "InvalidCredentials")
        #expect(try world.register(2, phone).isOK)
    }

    @Test("A verification mail requires an address and the policy")
    func verification() throws {
        try world.register(0, ["username": "lena"])
        #expect(try world.ask(0, "requestEmailVerification").errorCode == "ResourceNotFound")
        try world.register(1, email)
        _ = try world.mails()
        #expect(try world.ask(1, "requestEmailVerification").isOK)
        #expect(try world.mails().isEmpty)
        _ = try world.ask(1, "updateProfile", ["email": "b@example.com"])
        #expect(try world.ask(1, "requestEmailVerification").isOK)
        #expect(try world.mails().map(\.to) == ["b@example.com", "b@example.com"])
        let off = try AccountWorld(["emailVerification": false])
        try off.register(0, ["username": "lena"])
        #expect(try off.ask(0, "requestEmailVerification").errorCode == "PolicyRejected")
    }
}

extension Dictionary where Key == String, Value == JSONValue {
    fileprivate var object: JSONObject { JSONObject(map { ($0.key, $0.value) }) }
}
