import Domain
import Storage
import JSON
import Testing

@testable import Workers

@Suite("Codes")
struct CodeTests {
    private let world: AccountWorld
    private let phone: JSONObject = ["phone": "0151 234-5678"]

    init() throws { world = try AccountWorld() }

    private func check(_ code: String, _ purpose: String = "register") throws -> JSONValue? {
        try world.ask(1, "checkCode", ["phone": "1512345678", "purpose": .string(purpose), "code": .string(code)])
            .result["valid"]
    }

    @Test("A code is sent only to the normalized address")
    func sent() throws {
        let answer = try world.ask(
            0,
            "sendCode",
            ["phone": "0151/2345678", "purpose": 1]
        )
        let mail = try #require(try world.mails().first)
        #expect(mail.to == "1512345678" && mail.countryCode == "49")
        #expect(mail.params["purpose"] == "register")
        #expect(answer.result["expiresIn"] == 600 && answer.result["retryAfter"] == 60)
        #expect(mail.origin?.requestID == answer.result["requestId"]?.stringValue)
    }

    @Test("Checking a code doesn't use it up")
    func checking() throws {
        let code = try world.code(0, "register", phone)
        #expect(try check(AccountWorld.wrong(code)) == false)
        for _ in 0..<2 { #expect(try check(code) == true) }
        #expect(try check(code, "login") == false)
    }

    @Test("After five tries a code is invalid, even if it is right")
    func tries() throws {
        let code = try world.code(0, "register", phone)
        for _ in 0..<5 { _ = try check(AccountWorld.wrong(code)) }
        #expect(try check(code) == false)
    }

    @Test("A code is valid for ten minutes")
    func expiry() throws {
        let code = try world.code(0, "register", phone)
        world.world.clock.advance(seconds: 599)
        #expect(try check(code) == true)
        world.world.clock.advance(seconds: 1)
        #expect(try check(code) == false)
    }

    @Test("Sending again within a minute is refused, and the sent code stays valid")
    func throttled() throws {
        let code = try world.code(0, "register", phone)
        let params: JSONObject = ["phone": "1512345678", "purpose": "register"]
        let refusal = try world.ask(7, "sendCode", params)
        #expect(refusal.errorCode == "TooManyRequests" && refusal.retryAfter == 60)
        #expect(try world.mails().isEmpty)
        #expect(try check(code) == true)
        #expect(try world.ask(7, "sendCode", ["phone": "1512345678", "purpose": "login"]).isOK)
    }

    @Test("Five codes an hour are sent for a purpose, and ten a day to an address")
    func limits() throws {
        for purpose in ["register", "login"] {
            for _ in 0..<5 {
                #expect(try !world.code(0, purpose, phone).isEmpty)
                world.world.clock.advance(seconds: 61)
            }
            #expect(try world.code(0, purpose, phone).isEmpty)
        }
        world.world.clock.advance(seconds: 4000)
        #expect(try world.code(0, "register", phone).isEmpty)
        world.world.clock.advance(seconds: 86_400)
        #expect(try !world.code(0, "register", phone).isEmpty)
    }

    @Test("An app can send a limited number of codes an hour, in total and to each country")
    func appLimits() throws {
        world.world.environment.limits.codesPerCountry = 3
        world.world.environment.limits.codesPerHour = 5
        func send(_ number: Int, _ country: String) throws -> Bool {
            try world.ask(
                0,
                "sendCode",
                ["countryCode": .string(country), "phone": .string("15123450\(number)"), "purpose": "register"]
            ).isOK
        }
        for number in 10..<13 { #expect(try send(number, "49")) }
        #expect(try !send(13, "49"))
        for number in 14..<16 { #expect(try send(number, "43")) }
        #expect(try !send(16, "43"))
    }

    @Test("A new code replaces the old one, and the old token says so")
    func codeToken() throws {
        let params: JSONObject = ["phone": "1512345678", "purpose": "register"]
        let first = try world.ask(0, "sendCode", params).result["codeToken"]?.stringValue ?? ""
        world.world.clock.advance(seconds: 60)
        let second = try world.ask(0, "sendCode", params).result["codeToken"]?.stringValue ?? ""
        let codes = try world.mails().compactMap { $0.params["code"] }
        func check(_ code: String, _ token: String) throws -> JSONValue? {
            var check = params
            check["code"] = .string(code)
            check["codeToken"] = .string(token)
            return try world.ask(1, "checkCode", check).result["valid"]
        }
        #expect(try check(codes[1], first) == false)
        #expect(try check(codes[1], second) == true)
        if codes[0] != codes[1] { #expect(try check(codes[0], second) == false) }
    }

    @Test("Of a hundred concurrent submissions of the right code, exactly one succeeds")
    func parallel() throws {
        let code = try world.code(0, "login", phone)
        for terminal in 0..<100 {
            world.send(terminal, "login", ["countryCode": "49", "phone": "1512345678", "code": .string(code)])
        }
        let answers = try world.answers()
        #expect(answers.count == 100)
        #expect(answers.count { $0.isOK } == 1)
        #expect(answers.allSatisfy { $0.isOK || $0.errorCode == "InvalidCode" })
    }

    @Test("A hundred concurrent wrong codes have five tries, and a restart gives none back")

    func parallelGuesses() throws {
        let code = try world.code(0, "login", phone)
        for terminal in 0..<100 {
            world.send(
                terminal,
                "login",
                ["countryCode": "49", "phone": "1512345678", "code": .string(AccountWorld.wrong(code))]
            )
        }
        var loop = try world.world.loop(RequestHandler.account(world.world.environment))
        try loop.turn()
        // The process ends here. The transaction that counted the tries has already been committed.
        let tries = try world.world.read { try $0.sql.integer("SELECT tries FROM code") }
        #expect(tries == 5)
        let answer = try world.ask(200, "login", ["phone": "1512345678", "code": .string(code)])
        #expect(answer.errorCode == "InvalidCode")
    }

    @Test("No code or address is stored in clear")
    func hashed() throws {
        _ = try world.code(0, "register", ["email": "canary@example.com"])
        let rows = try world.world.read { tx in
            try tx.sql.query("SELECT scope, codeHash FROM code") { [$0.next([UInt8].self), $0.next([UInt8].self)] }
        }
        #expect(rows.joined().allSatisfy { $0.count == 32 })
        let subjects = try world.world.read { tx in
            try tx.sql.query("SELECT subject FROM attempt") { $0.next(String.self) }
        }
        #expect(!subjects.isEmpty && subjects.allSatisfy { !$0.contains("canary") })
    }

    @Test(
        "Unknown addresses get the same answer, and nothing is sent",
        arguments: ["login", "resetPassword"]
    )
    func unknown(_ purpose: String) throws {
        try world.register(0, ["email": "known@example.com"])
        _ = try world.mails()
        var shapes: [[String]] = []
        var rows: [Int64] = []
        for email in ["known@example.com", "unknown@example.com"] {
            let answer = try world.ask(1, "sendCode", ["email": .string(email), "purpose": .string(purpose)])
            shapes.append(answer.result.members.map(\.key))
            rows.append(try world.world.count("delivery"))
        }
        #expect(shapes[0] == shapes[1] && !shapes[0].isEmpty)
        #expect(rows[1] - rows[0] == 1)
        #expect(try world.mails().map(\.to) == ["known@example.com"])
    }

    @Test("Codes for users require a session, and a logout code is sent only to the user's own address")

    func sessions() throws {
        for purpose in ["bind", "operation", "logoutTerminal"] {
            let answer = try world.ask(0, "sendCode", ["email": "a@example.com", "purpose": .string(purpose)])
            #expect(answer.errorCode == "InvalidToken")
        }
        try world.register(1, ["email": "mine@example.com"])
        func send(_ email: String) throws -> JSONObject {
            try world.ask(1, "sendCode", ["email": .string(email), "purpose": "logoutTerminal"])
        }
        #expect(try send("other@example.com").errorCode == "Forbidden")
        #expect(try send("MINE@example.com").isOK)
    }

    // MARK: Tickets

    private func ticket(_ terminal: Int, _ email: String) throws -> String {
        let code = try world.code(terminal, "operation", ["email": .string(email)])
        return try world.ask(terminal, "verifyOperation", ["email": .string(email), "code": .string(code)]).result[
            "ticket"
        ]?.stringValue ?? ""
    }

    @Test("A ticket is valid once, for its address, on its terminal, for five minutes")
    func tickets() throws {
        for terminal in 0..<2 { try world.ask(terminal, "loginAnonymous") }
        func register(_ terminal: Int, _ email: String, _ ticket: String) throws -> String? {
            try world.ask(
                terminal,
                "register",
                ["email": .string(email), "ticket": .string(ticket), "password": .string(AccountWorld.password)]
            ).errorCode
        }
        let first = try ticket(0, "a@example.com")
        #expect(!first.isEmpty)
        #expect(try register(1, "a@example.com", first) == "InvalidCode")
        #expect(try register(0, "b@example.com", first) == "InvalidCode")
        #expect(try register(0, "a@example.com", first) == nil)
        #expect(try register(0, "a@example.com", first) == "InvalidCode")

        let late = try ticket(1, "c@example.com")
        world.world.clock.advance(seconds: 300)
        #expect(try register(1, "c@example.com", late) == "InvalidCode")
    }

    @Test("A ticket requires a session and a code with its purpose")
    func ticketNeeds() throws {
        let params: JSONObject = ["email": "a@example.com", "code": "123456"]
        #expect(try world.ask(0, "verifyOperation", params).errorCode == "InvalidToken")
        try world.ask(0, "loginAnonymous")
        let other = try world.code(0, "register", ["email": "a@example.com"])
        let answer = try world.ask(0, "verifyOperation", ["email": "a@example.com", "code": .string(other)])
        #expect(answer.errorCode == "InvalidCode")
    }
}
