import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("An app's features and policies")
struct AppInfoTests {
    @Test("app/info answers without a session, and omits disabled features")
    func info() throws {
        let world = try AccountWorld(
            ["emailRegistration": "link", "sessionDays": 30],
            providers: [
                "google": ["enabled": true, "clientIds": ["ours"]], "apple": ["enabled": false, "clientIds": ["ours"]],
            ]
        )
        world.world.environment.regions = Regions(
            served: ["eu"],
            byCountry: ["86": "cn", "49": "eu", "33": "eu"],
            endpoints: ["cn": "mqtts://cn.example.com"]
        )
        let info = try world.ask(0, "app/info").result
        #expect(info["name"] == "Demo" && info["providers"] == ["google"])
        #expect(info["passwordMinLength"] == 8 && info["sessionDays"] == 30)
        let policies = info["policies"]?.objectValue ?? [:]
        #expect(policies["emailRegistration"] == "link" && policies["uidLogin"] == true)
        let regions = info["regions"]?.arrayValue?.compactMap(\.objectValue) ?? []
        #expect(
            regions == [
                ["region": "eu", "countryCodes": ["33", "49"], "isDefault": true, "isServed": true],
                [
                    "region": "cn", "countryCodes": ["86"], "isDefault": false, "isServed": false,
                    "endpoint": "mqtts://cn.example.com",
                ],
            ]
        )
        #expect(try world.ask(0, "app/other").errorCode == "InvalidRequest")
    }

    @Test("A session lives as long as the app determines, from login and from refresh")
    func sessionDays() throws {
        let world = try AccountWorld(["sessionDays": 30])
        try world.register(0, ["username": "lena"])
        let day: Int64 = 86_400
        world.world.clock.advance(seconds: 29 * day)
        let answer = try world.ask(0, "session/refresh")
        let end = world.world.clock.now.adding(seconds: 30 * day).milliseconds
        #expect(answer.result["expiresAt"] == .integer(end))
        let plain = try AccountWorld()
        let login = try plain.register(0, ["username": "lena"])
        let week = plain.world.clock.now.adding(seconds: 7 * day).milliseconds
        #expect(login.result["expiresAt"] == .integer(week))
    }

    @Test("With cancelProof off the session suffices, and each address is notified in any case")

    func cancelProof() throws {
        for isNeeded in [true, false] {
            let world = try AccountWorld(["cancelProof": .bool(isNeeded)])
            try world.register(0, ["email": "a@example.com"])
            // The phone number's country differs from the user's country.
            var phone: JSONObject = ["phone": "2025550123", "countryCode": "1"]
            phone["code"] = .string(try world.code(0, "bind", phone))
            #expect(try world.ask(0, "bindPhone", phone).isOK)
            _ = try world.mails()
            let bare = try world.ask(0, "cancel")
            #expect(bare.isOK != isNeeded)
            if isNeeded {
                let password = JSONValue.string(AccountWorld.password)
                #expect(try world.ask(0, "cancel", ["password": password]).isOK)
            }
            let told = try world.mails()
            #expect(told.allSatisfy { $0.template == .cancelled && $0.params["days"] == "7" })
            #expect(Set(told.map(\.fullAddress)) == ["a@example.com", "+12025550123"])
            #expect(try world.ask(0, "whoami").errorCode == "InvalidToken")
        }
    }

    @Test("A user sees the time of the last login")
    func lastLogin() throws {
        let world = try AccountWorld()
        try world.register(0, ["username": "lena"])
        world.world.clock.advance(seconds: 100)
        let login = try world.login(1, ["username": "lena"])
        let now = JSONValue.integer(world.world.clock.now.milliseconds)
        #expect(login.user["lastLoginAt"] == now)
        world.world.clock.advance(seconds: 100)
        #expect(try world.ask(0, "updateProfile", ["nickname": "L"]).user["lastLoginAt"] == now)
        #expect(try world.user(0)["lastLoginAt"] == now)
    }

    @Test("A user's time zone is the country's until the user sets another")
    func timeZone() throws {
        let world = try AccountWorld()
        let china: JSONObject = ["username": "lena", "countryCode": "86", "password": .string(AccountWorld.password)]
        #expect(try world.ask(0, "register", china).user["timezone"] == "Asia/Shanghai")
        #expect(try world.ask(0, "updateProfile", ["nickname": "L"]).isOK)
        #expect(try world.user(0)["timezone"] == "Asia/Shanghai")
        let utc = try world.ask(0, "updateProfile", ["timezone": "UTC"])
        #expect(utc.user["timezone"] == "UTC")
    }
}

@Suite("Registering with more than one name")
struct SeveralNamesTests {
    private let password = JSONValue.string(AccountWorld.password)

    @Test("A username can accompany an address that is proved by a code, a ticket or not at all") func beside() throws {
        let world = try AccountWorld(["emailRegistration": "none"])
        let plain = try world.ask(0, "register", ["username": "lena", "email": "a@example.com", "password": password])
        #expect(plain.user["username"] == "lena" && plain.user["email"] == "a@example.com")
        try world.ask(1, "loginAnonymous")
        let code = try world.code(1, "operation", ["phone": "1512345678"])
        let ticket = try world.ask(1, "verifyOperation", ["phone": "1512345678", "code": .string(code)]).result[
            "ticket"
        ]
        let full = try world.ask(
            1,
            "register",
            ["username": "anna", "phone": "1512345678", "password": password, "ticket": ticket]
        )
        #expect(full.user["username"] == "anna" && full.user["phoneVerified"] == true)
        for name in [["username": "anna"], ["phone": "1512345678"]] as [JSONObject] {
            #expect(try world.login(2, name).user["uid"] == full.user["uid"])
        }
    }

    @Test("A user who registers only a phone gets its number as username")
    func phone() throws {
        let world = try AccountWorld()
        let user = try world.register(0, ["phone": "+49 151 2345678"]).user
        #expect(user["username"] == "+491512345678" && user["phoneVerified"] == true)
        #expect(try world.ask(0, "updateProfile", ["username": "lena"]).isOK)
        #expect(try world.login(1, ["username": "lena"]).isOK)
        #expect(try world.login(2, ["phone": "49-1512345678"]).isOK)
    }

    @Test("A taken name causes a refusal of the whole request, without using up a code")
    func taken() throws {
        let world = try AccountWorld()
        try world.register(0, ["username": "lena"])
        let code = try world.code(1, "register", ["email": "a@example.com"])
        var params: JSONObject = [
            "username": "LENA", "email": "a@example.com", "password": password, "code": .string(code),
        ]
        let refusal = try world.ask(1, "register", params)
        #expect(refusal.errorCode == "Duplicated" && refusal.errorField == "params.username")
        params["username"] = "anna"
        #expect(try world.ask(1, "register", params).isOK)
    }

    @Test("Unknown members of a profile are named, and the app's own members are accepted")
    func profile() throws {
        let world = try AccountWorld()
        var params: JSONObject = ["username": "lena", "password": password, "profile": ["interest": "lamps"]]
        let refusal = try world.ask(0, "register", params)
        #expect(refusal.errorField == "params.profile.interest")
        params["profile"] = ["custom": ["interest": "lamps"], "birthday": "1990-1-1"]
        let user = try world.ask(0, "register", params).user
        #expect(user["custom"] == ["interest": "lamps"] && user["birthday"] == "1990-01-01")
    }
}
