import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Proofs of an account, and the rights of an address's owner")
struct AccountProofTests {
    private let password = JSONValue.string(AccountWorld.password)
    private let email: JSONObject = ["email": "a@example.com"]

    private func with(_ more: JSONObject, _ params: JSONObject) -> JSONObject {
        var all = params
        for member in more.members { all[member.key] = member.value }
        return all
    }

    // MARK: Codes before hashes

    @Test(
        "A wrong code causes no hash; the right code does, and is used up",
        arguments: ["register", "resetPassword"]
    )
    func codesFirst(_ purpose: String) throws {
        let world = try AccountWorld()
        if purpose == "resetPassword" { try world.register(0, email) }
        let code = try world.code(1, purpose, email)
        let before = world.pool.journal.count
        var params: JSONObject = ["email": "a@example.com", "password": password]
        params["newPassword"] = "another password"
        params["code"] = .string(AccountWorld.wrong(code))
        #expect(try world.ask(1, purpose, params).errorCode == "InvalidCode")
        #expect(world.pool.journal.count == before)
        params["code"] = .string(code)
        #expect(try world.ask(1, purpose, params).isOK)
        #expect(world.pool.journal.count == before + 1)
        #expect(try world.ask(2, purpose, params).errorCode == "InvalidCode")
    }

    @Test("After the right code, a full pool refuses the request, and the code stays valid")
    func full() throws {
        let world = try AccountWorld()
        let code = try world.code(0, "register", email)
        let params: JSONObject = ["email": "a@example.com", "password": password, "code": .string(code)]
        world.pool.room = 0
        let refusal = try world.ask(0, "register", params)
        #expect(refusal.errorCode == "Unavailable" && refusal.retryAfter == 5)
        world.pool.room = 10
        #expect(try world.ask(0, "register", params).isOK)
    }

    // MARK: One limit for all password paths

    @Test("Wrong passwords at logins also block cancelling and logout codes, and vice versa") func oneLimit() throws {
        let world = try AccountWorld()
        let phone: JSONObject = ["phone": "1512345678"]
        try world.register(0, phone)
        for terminal in 100..<105 { _ = try world.login(terminal, phone, password: "wrong one") }
        for _ in 0..<5 {
            let answer = try world.ask(0, "cancel", ["password": "wrong one"])
            #expect(answer.errorCode == "InvalidCredentials")
        }
        #expect(try world.ask(0, "cancel", ["password": password]).errorCode == "TooManyRequests")
        #expect(try world.login(7, phone).errorCode == "TooManyRequests")
        let code = try world.code(0, "operation", phone)
        #expect(try world.ask(0, "cancel", ["code": .string(code)]).isOK)
    }

    @Test("An app gets a limited number of new terminals an hour, and its known terminals can still log in")
    func terminals() throws {
        let world = try AccountWorld()
        world.world.environment.limits.terminalsPerHour = 2
        for terminal in 0..<2 { #expect(try world.ask(terminal, "loginAnonymous").isOK) }
        let refusal = try world.ask(2, "loginAnonymous")
        #expect(refusal.errorCode == "TooManyRequests" && refusal.retryAfter == 3600)
        #expect(try world.ask(0, "loginAnonymous").isOK)
        #expect(try world.ask(2, "loginAnonymous", app: "other").isOK)
        world.world.clock.advance(seconds: 3600)
        #expect(try world.ask(2, "loginAnonymous").errorCode == "Forbidden")
        #expect(try world.ask(3, "loginAnonymous").isOK)
    }

    // MARK: Notifications

    @Test("A user's terminals are notified of a changed address")
    func told() throws {
        let world = try AccountWorld()
        let uid = try world.register(0, ["username": "lena"]).user["uid"]?.stringValue ?? ""
        let code = try world.code(0, "bind", email)
        try world.ask(0, "bindEmail", with(["code": .string(code)], email))
        let told = try #require(world.world.broker.published(to: "ll/v1/user/\(uid)/account").last)
        #expect(told["type"] == "addressChanged" && told["address"] == "email")
    }

    @Test("If the app reveals accounts, a request for an unknown address is refused and nothing is sent")
    func revealed() throws {
        let world = try AccountWorld(["revealAccounts": true])
        let unknown = "ResourceNotFound"
        for purpose in ["login", "resetPassword"] {
            let params = with(["purpose": .string(purpose)], email)
            #expect(try world.ask(0, "sendCode", params).errorCode == unknown)
        }
        #expect(try world.ask(0, "requestPasswordReset", email).errorCode == unknown)
        let reset = with(["code": "123456", "newPassword": "another password"], email)
        #expect(try world.ask(0, "resetPassword", reset).errorCode == unknown)
        #expect(try world.ask(0, "login", with(["code": "123456"], email)).errorCode == unknown)
        #expect(try world.mails().isEmpty)
        try world.register(1, email)
        #expect(try !world.code(0, "login", email).isEmpty)
    }

    // MARK: Names that are addresses

    @Test("A username can be an e-mail address: the user logs in with it, and its mailbox resets the password")
    func emailAsName() throws {
        let world = try AccountWorld()
        try world.register(0, ["username": "A@example.com"])
        for name in ["username", "account"] { #expect(try world.login(1, JSONObject([(name, "a@example.com")])).isOK) }
        #expect(try world.login(2, email).errorCode == "InvalidCredentials")
        #expect(try world.ask(3, "requestPasswordReset", email).isOK)
        #expect(try world.mails().map(\.template) == [.resetPassword])
    }

    @Test("The address's owner has priority, and takes the name over by proving the address") func ownerFirst() throws {
        let world = try AccountWorld()
        try world.register(0, ["username": "a@example.com"], password: "squatter's own")
        try world.ask(0, "updateProfile", ["email": "b@example.com"])
        #expect(try world.user(0)["username"] == "a@example.com")
        let owner = try world.register(1, email)
        #expect(owner.isOK)
        #expect(try world.user(0)["username"] == nil && world.user(0)["email"] == "b@example.com")
        #expect(try world.login(2, ["account": "a@example.com"]).user["uid"] == owner.user["uid"])
        for name in ["account", "username"] {
            let answer = try world.login(3, JSONObject([(name, "a@example.com")]), password: "squatter's own")
            #expect(answer.errorCode == "InvalidCredentials")
        }
    }

    @Test("Using an address as username does not reveal whether it has an account") func nameTellsNothing() throws {
        let world = try AccountWorld()
        try world.register(0, email)
        for (terminal, name) in ["a@example.com", "b@example.com"].enumerated() {
            let other = try world.register(10 + terminal, ["username": .string(name)], password: "squatter's own")
            for field in ["account", "username"] {
                let before = world.pool.journal.count
                let answer = try world.login(
                    20 + terminal,
                    JSONObject([(field, .string(name))]),
                    password: "squatter's own"
                )
                #expect(answer.user["uid"] == other.user["uid"])
                let work = world.pool.journal[before...].map { work in
                    if case .verifyEach(_, let hashes) = work { hashes.count } else { 1 }
                }
                #expect(work == [field == "account" ? 2 : 1])
            }
        }
    }

    @Test("A username that another user verified as an address locks no user out") func nameBesideOwner() throws {
        let world = try AccountWorld()
        let owner = try world.register(0, email)
        #expect(try world.register(1, ["username": "a@example.com"], password: "squatter's own").isOK)
        let login = try world.login(2, ["account": "a@example.com"])
        #expect(login.user["uid"] == owner.user["uid"])
        _ = try world.mails()
        #expect(try world.ask(3, "requestPasswordReset", email).isOK)
        let uid = try world.world.read { tx in try tx.sql.query("SELECT uid FROM link") { $0.next(String.self) } }
        #expect(uid.last.map { .string($0) } == owner.user["uid"])
    }

    // MARK: Unverified addresses

    @Test("After registering a taken address without proof, a user logs in with it as with a free one")

    func beside() throws {
        for policy in ["link", "none"] {
            let world = try AccountWorld(["emailRegistration": .string(policy)])
            func register(_ terminal: Int, _ password: String) throws -> JSONObject {
                try world.ask(
                    terminal,
                    "register",
                    with(["password": .string(password)], email)
                )
            }
            let owner = try register(0, "the owner's own")
            let other = try register(1, "the other's own")
            #expect(try register(2, "one too many").errorCode == "TooManyRequests")
            let first = try world.login(3, email, password: "the owner's own")
            #expect(first.user["uid"] == owner.user["uid"])
            let second = try world.login(4, email, password: "the other's own")
            #expect(second.user["uid"] == other.user["uid"])
            #expect(try !world.login(5, email, password: "nobody's own").isOK)
            let hashes = world.pool.journal.compactMap { work -> Int? in
                if case .verifyEach(_, let hashes) = work { hashes.count } else { nil }
            }
            #expect(hashes == [3, 3, 3])
        }
    }

    @Test("Even days later, as many users with unproved addresses can log in, whether the address is taken or free")
    func besideDaysLater() throws {
        func outcomes(isTaken: Bool) throws -> [String?] {
            let world = try AccountWorld(["emailRegistration": "link"])
            if isTaken { try world.register(9, email) }
            var outcomes: [String?] = []
            for terminal in 0..<4 {
                world.world.clock.advance(seconds: 86_400)
                let own = JSONValue.string("number \(terminal)'s own")
                let answer = try world.ask(terminal, "register", with(["password": own], email))
                outcomes.append(answer.errorCode)
            }
            for terminal in 0..<4 {
                let own = "number \(terminal)'s own"
                outcomes.append(try world.login(20 + terminal, email, password: own).errorCode)
            }
            return outcomes
        }
        let wrong = "InvalidCredentials"
        #expect(try outcomes(isTaken: true) == [nil, nil, nil, nil, nil, nil, wrong, wrong])
        #expect(try outcomes(isTaken: false) == outcomes(isTaken: true))
    }

    @Test(
        "Without proof, as many links can be requested for a taken address as for a free one"
    ) func linksBeside() throws {
        func asked(isTaken: Bool) throws -> [String?] {
            let world = try AccountWorld(["emailRegistration": "link"])
            if isTaken { try world.register(9, email) }
            try world.ask(0, "register", with(["password": "the other's own"], email))
            return try (0..<6).map { _ in
                try world.ask(0, "requestEmailVerification").errorCode
            }
        }
        #expect(try asked(isTaken: true) == asked(isTaken: false))
        #expect(try asked(isTaken: true).last == "TooManyRequests")
    }

    @Test("Links to one mailbox are counted together, however its address is written") func linksToOneMailbox() throws {
        let world = try AccountWorld()
        try world.register(0, email)
        let spellings = ["a@example.com", "A@example.com", "a@EXAMPLE.com"]
        let answers = try (0..<6).map { turn in
            let params: JSONObject = ["email": .string(spellings[turn % 3])]
            return try world.ask(0, "requestPasswordReset", params).errorCode
        }
        #expect(answers == [nil, nil, nil, nil, nil, "TooManyRequests"])
    }

    @Test("An account with the owner's address doesn't give more tries of the owner's password")

    func noMoreTries() throws {
        let world = try AccountWorld(["emailRegistration": "link"])
        let register = with(["password": "the other's own"], email)
        try world.ask(0, "register", with(["password": password], email))
        try world.ask(1, "register", register)
        for turn in 0..<10 { #expect(try world.login(10 + turn, email, password: "the other's own").isOK) }
        // At each of the ten logins, the service also compared the given password with the owner's password. Each of
        // these comparisons counted as a wrong try of the owner's password.
        #expect(try !world.login(30, email).isOK)
        world.world.clock.advance(seconds: 900)
        #expect(try world.login(30, email).isOK)
    }

    @Test("The user who verifies the address becomes its only owner")
    func proved() throws {
        let world = try AccountWorld(["emailRegistration": "link"])
        try world.ask(0, "register", with(["password": "the first one's"], email))
        try world.ask(1, "register", with(["password": "the second one's"], email))
        let owner = try world.register(2, email)
        #expect(owner.isOK)
        for password in ["the first one's", "the second one's"] {
            #expect(try !world.login(3, email, password: password).isOK)
        }
        #expect(try world.user(0)["email"] == nil && world.user(1)["email"] == nil)
        #expect(try world.login(4, email).user["uid"] == owner.user["uid"])
    }
}
