import Domain
import JSON
import Testing

@testable import Workers

@Suite("Registering")
struct RegisterTests {
    private func world(_ policies: JSONObject = [:]) throws -> AccountWorld {
        try AccountWorld(policies)
    }

    private static let password = JSONValue.string(AccountWorld.password)

    @Test(
        "A user registers by phone, e-mail or username, and logs in with the name in any form",
        arguments: [
            (["phone": "0151 2345678"], ["phone": "+49-151-2345678"]),
            (["email": "Lena@Example.com"], ["email": "lena@EXAMPLE.com"]), (["username": "Lena"], ["account": "LENA"]),
        ] as [(JSONObject, JSONObject)]
    )
    func ways(_ name: JSONObject, _ again: JSONObject) throws {
        let world = try world()
        let answer = try world.register(0, name)
        #expect(answer.isOK && answer.user["anonymous"] == false)
        let login = try world.login(1, again)
        #expect(login.user["uid"] == answer.user["uid"] && login.result["isNew"] == false)
    }

    @Test("A phone or e-mail address without a right code does not log in")
    func codes() throws {
        let world = try world()
        for name in [["phone": "1512345678"], ["email": "a@example.com"]] as [JSONObject] {
            var params = name
            params["password"] = Self.password
            #expect(try world.ask(0, "register", params).errorField == "params.code")
            params["code"] = "123456"
            #expect(try world.ask(0, "register", params).errorCode == "InvalidCode")
            let code = try world.code(0, "register", name)
            params["code"] = .string(AccountWorld.wrong(code))
            #expect(try world.ask(0, "register", params).errorCode == "InvalidCode")
        }
        #expect(try world.world.count("account") == 0)
    }

    @Test(
        "A username that looks like a phone or isn't valid is refused",
        arguments: [
            "lena@", "0151 2345678", "+491512345678", "４９１５１２３", "1234567", "lena＠example.com", "", "a\u{200B}b",
        ]
    )
    func usernames(_ name: String) throws {
        let answer = try world().ask(
            0,
            "register",
            ["username": .string(name), "password": Self.password]
        )
        #expect(answer.errorCode == "InvalidRequest" && answer.errorField == "params.username")
    }

    @Test("A username can be an e-mail address, and is removed when another account verifies it")
    func addressAsUsername() throws {
        let world = try world()
        let name: JSONObject = ["username": "lena@example.com"]
        let first = try world.register(0, name)
        for field in ["username", "account"] {
            let login = try world.login(1, [field: "Lena@example.com"])
            #expect(login.user["uid"] == first.user["uid"])
        }
        let owner = try world.register(2, ["email": "lena@example.com"])
        #expect(try world.user(0)["username"] == nil)
        #expect(try world.login(3, ["account": "lena@example.com"]).user["uid"] == owner.user["uid"])
    }

    @Test("A taken username is reported, in any case and width")
    func takenUsername() throws {
        let world = try world()
        try world.register(0, ["username": "lena"])
        for name in ["lena", "LENA", "ｌena"] {
            let answer = try world.register(1, ["username": .string(name)])
            #expect(answer.errorCode == "Duplicated" && answer.errorField == "params.username")
        }
    }

    @Test("A taken address is revealed only to the holder of its code")
    func takenAddress() throws {
        let world = try world()
        let email: JSONObject = ["email": "a@example.com"]
        try world.register(0, email)
        world.world.clock.advance(seconds: 61)
        var params = email
        params["password"] = "another password"
        params["code"] = "123456"
        #expect(try world.ask(1, "register", params).errorCode == "InvalidCode")
        params["code"] = .string(try world.code(1, "register", email))
        #expect(try world.ask(1, "register", params).errorCode == "Duplicated")
        #expect(try world.login(2, email).isOK)
        #expect(try !world.login(2, email, password: "another password").isOK)
    }

    @Test("A weak password is refused, and the code stays valid")
    func weak() throws {
        let world = try world()
        let email: JSONObject = ["email": "a@example.com"]
        let code = try world.code(0, "register", email)
        for password in ["short", "password", "A@example.com"] {
            let answer = try world.ask(
                0,
                "register",
                ["email": "a@example.com", "code": .string(code), "password": .string(password)]
            )
            #expect(answer.errorCode == "PolicyRejected")
            #expect(answer.errorField == "params.password")
        }
        let answer = try world.ask(
            0,
            "register",
            ["email": "a@example.com", "code": .string(code), "password": Self.password]
        )
        #expect(answer.isOK)
    }

    @Test("Oversized fields are refused before any slow work")
    func oversized() throws {
        let world = try world()
        let long = JSONValue.string(String(repeating: "x", count: 5000))
        for (field, params) in [
            ("params.password", ["username": "lena", "password": long]),
            ("params.username", ["username": long, "password": Self.password]),
            ("params.os", ["username": "lena", "password": Self.password, "os": long]),
        ] as [(String, JSONObject)] { #expect(try world.ask(0, "register", params).errorField == field) }
        #expect(world.pool.journal.isEmpty)
    }

    @Test("The same id with another password is refused")
    func replay() throws {
        let world = try world()
        let params: JSONObject = ["username": "lena", "password": Self.password]
        #expect(try world.ask(0, "register", params, id: "r1").isOK)
        var other = params
        other["password"] = "another password"
        #expect(try world.ask(0, "register", other, token: "", id: "r1").errorField == "id")
    }

    @Test("With the policies link and none, a taken address gets the answer of a new one, and its owner gets a mail")
    func takenUnproved() throws {
        for policy in ["link", "none"] {
            let world = try world(["emailRegistration": .string(policy)])
            let params: JSONObject = ["email": "a@example.com", "password": Self.password]
            let first = try world.ask(0, "register", params)
            #expect(try world.mails().map(\.template) == [policy == "link" ? .verifyEmail : .confirmation])
            var again = params
            again["password"] = "another password"
            let second = try world.ask(1, "register", again)
            #expect(
                try world.mails().map(\.template) == [policy == "link" ? .verifyEmail : .confirmation],
                "it is unverified: the first who follows the link has it"
            )
            #expect(first.result.members.map(\.key) == second.result.members.map(\.key))
            #expect(first.user.members.map(\.key) == second.user.members.map(\.key))
            #expect(first.user["uid"] != second.user["uid"])
            #expect(
                try world.login(2, ["email": "a@example.com"]).user["uid"] == first.user["uid"]
            )
            let other = try world.login(
                3,
                ["email": "a@example.com"],
                password: "another password"
            )
            #expect(other.user["uid"] == second.user["uid"], "as if the address had been free")
        }
    }

    @Test("Phones can't register while the policy is off")
    func phonePolicy() throws {
        let world = try world(["phoneRegistration": false])
        let params: JSONObject = ["phone": "1512345678", "password": Self.password, "code": "123456"]
        #expect(try world.ask(0, "register", params).errorCode == "PolicyRejected")
        let code = try world.code(0, "login", ["phone": "1512345678"])
        let login = try world.ask(0, "login", ["phone": "1512345678", "code": .string(code)])
        #expect(login.errorCode == "PolicyRejected")
    }

    // MARK: Anonymous users

    @Test("On a terminal with an anonymous session, the anonymous user becomes the new user") func anonymous() throws {
        let world = try world()
        let secret: JSONObject = ["deviceId": "installation-secret-1"]
        let names: [JSONObject] = [["username": "lena"], ["email": "a@example.com"], ["phone": "1512345678"]]
        for (terminal, name) in names.enumerated() {
            let uid = try world.ask(terminal, "loginAnonymous", secret).user["uid"]
            #expect(try world.register(terminal, name).user["uid"] == uid)
            #expect(try world.user(terminal)["anonymous"] == false)
            #expect(try world.ask(10 + terminal, "loginAnonymous", secret).user["uid"] != uid)
            try world.register(10 + terminal, ["username": .string("x\(terminal)")])
        }
    }

    @Test("Other terminals of an anonymous user are logged out when it becomes a registered user")
    func unexpiredSession() throws {
        let world = try world()
        let secret: JSONObject = ["deviceId": "installation-secret-1"]
        for terminal in 0..<2 { try world.ask(terminal, "loginAnonymous", secret) }
        try world.register(0, ["username": "lena"])
        #expect(try world.ask(1, "whoami").errorCode == "InvalidToken")
        #expect(try world.ask(0, "whoami").isOK)
    }

    @Test("Converting keeps uid and session, and only anonymous users can convert")
    func convert() throws {
        let world = try world()
        let names: [JSONObject] = [["username": "lena"], ["phone": "1512345678"]]
        for (terminal, name) in names.enumerated() {
            let uid = try world.ask(terminal, "loginAnonymous").user["uid"]
            var params = name
            params["password"] = Self.password
            if name["phone"] != nil {
                let refusal = try world.ask(terminal, "convertAnonymous", params)
                #expect(refusal.errorField == "params.code")
                params["code"] = .string(try world.code(terminal, "register", name))
            }
            let answer = try world.ask(terminal, "convertAnonymous", params)
            #expect(answer.user["uid"] == uid && answer.user["anonymous"] == false)
            #expect(try world.login(5, name).user["uid"] == uid)
            #expect(try world.ask(terminal, "convertAnonymous", params).errorCode == "Forbidden")
        }
    }

    @Test("An unknown phone is registered by its login code, and its number becomes the username")

    func loginRegisters() throws {
        let world = try world()
        let phone: JSONObject = ["phone": "1512345678"]
        let code = try world.code(0, "login", phone)
        let answer = try world.ask(0, "login", ["phone": "1512345678", "code": .string(code)])
        #expect(answer.result["isNew"] == true)
        #expect(answer.user["username"] == "+491512345678")
        #expect(answer.user["phone"] == "+491512345678" && answer.user["phoneVerified"] == true)
        #expect(try world.login(1, phone).errorCode == "InvalidCredentials")
    }

    @Test("The app's own ids can register and log in, and aren't usernames")
    func external() throws {
        let world = try world()
        let params: JSONObject = ["uid": "customer 7", "password": Self.password]
        let first = try world.ask(0, "loginOrRegister", params)
        #expect(first.result["isNew"] == true && first.user["externalUid"] == "customer 7")
        let again = try world.ask(1, "loginOrRegister", params)
        #expect(again.result["isNew"] == false && again.user["uid"] == first.user["uid"])
        var wrong = params
        wrong["password"] = "another password"
        #expect(try world.ask(2, "loginOrRegister", wrong).errorCode == "InvalidCredentials")
        #expect(try world.login(2, ["username": "customer 7"]).errorCode == "InvalidCredentials")
        #expect(try world.ask(2, "loginOrRegister", params, app: "other").result["isNew"] == true)
        // When another user logs in on a terminal, the session of the previous user ends.
        let next: JSONObject = ["uid": "customer 8", "password": Self.password]
        #expect(try world.ask(0, "loginOrRegister", next).result["isNew"] == true)
        #expect(try world.world.count("session WHERE endReason = 'replaced'") == 1)
    }
}
