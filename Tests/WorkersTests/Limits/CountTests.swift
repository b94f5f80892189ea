import Domain
import JSON
import Storage
import Testing

@testable import Workers

@Suite("Counts per terminal and source address")
struct CountTests {
    let world: AccountWorld

    init() throws { world = try AccountWorld() }

    func retryAfter(_ answer: JSONObject) -> Int64 {
        answer["error"]?.objectValue?["retryAfter"]?.intValue ?? 0
    }

    /// Sends a request from each terminal, and returns each request's error code, or nil for success.
    func ask(_ terminals: [Int], _ method: String, _ params: (Int) -> JSONObject) throws -> [String?] {
        try terminals.enumerated().map { place, terminal in try world.ask(terminal, method, params(place)).errorCode }
    }

    func phone(_ number: Int) -> JSONObject {
        ["phone": .string("15123\(100_000 + number)"), "purpose": "register"]
    }

    /// A limited request: how many times it succeeds, and for how many seconds it is refused after that.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var method: String
        var max: Int
        var seconds: Int64
        var isPerSource = false
        var raise: @Sendable (inout Limits.Counts) -> Void
        var params: @Sendable (Int) -> JSONObject
        var testDescription: String { name }
    }

    static let cases: [Case] = [
        Case(
            name: "codes of a terminal",
            method: "sendCode",
            max: 5,
            seconds: 3600,
            raise: { $0.codesPerTerminal = 100 },
            params: { ["phone": .string("15123\(100_000 + $0)"), "purpose": "register"] }
        ),
        Case(
            name: "codes of an address",
            method: "sendCode",
            max: 20,
            seconds: 3600,
            isPerSource: true,
            raise: { $0.codesPerSource = 100 },
            params: { ["phone": .string("15123\(100_000 + $0)"), "purpose": "register"] }
        ),
        Case(
            name: "anonymous users of a terminal",
            method: "loginAnonymous",
            max: 30,
            seconds: 86_400,
            raise: { $0.anonymousPerTerminal = 100 },
            params: { _ in [:] }
        ),
        Case(
            name: "anonymous users of an address",
            method: "loginAnonymous",
            max: 60,
            seconds: 3600,
            isPerSource: true,
            raise: { $0.anonymousPerSource = 100 },
            params: { _ in [:] }
        ),
        Case(
            name: "named users of a terminal",
            method: "register",
            max: 5,
            seconds: 3600,
            raise: { $0.namedPerTerminal = 100 },
            params: { ["username": .string("name \($0)"), "password": .string("lamp \($0) water")] }
        ),
        Case(
            name: "named users of an address",
            method: "loginOrRegister",
            max: 30,
            seconds: 3600,
            isPerSource: true,
            raise: { $0.namedPerSource = 100 },
            params: { ["uid": .string("own \($0)"), "password": .string("lamp \($0) water")] }
        ),
    ]

    @Test(
        "Each limit holds, says when it ends, affects no other caller, and is a setting",
        arguments: cases
    )
    func bounds(_ row: Case) throws {
        world.source = row.isPerSource ? "10.0.0.7" : nil
        func terminal(_ number: Int) -> Int { row.isPerSource ? number : 0 }
        for number in 0..<row.max {
            let answer = try world.ask(terminal(number), row.method, row.params(number))
            #expect(answer.isOK, "\(number): \(answer)")
        }
        let refused = try world.ask(terminal(row.max), row.method, row.params(row.max))
        #expect(refused.errorCode == "TooManyRequests")
        #expect((1...row.seconds).contains(retryAfter(refused)))

        world.source = row.isPerSource ? "10.0.0.8" : nil
        #expect(try world.ask(900, row.method, row.params(900)).isOK)

        world.source = row.isPerSource ? "10.0.0.7" : nil
        row.raise(&world.world.environment.limits.counts)
        world.world.environment.quotas = QuotaFront()
        let raised = try world.ask(terminal(row.max + 1), row.method, row.params(row.max + 1))
        #expect(raised.isOK, "\(raised)")
    }

    @Test("A limit ends at the stated time", arguments: cases)
    func opens(_ row: Case) throws {
        world.source = row.isPerSource ? "10.0.0.7" : nil
        func terminal(_ number: Int) -> Int { row.isPerSource ? number : 0 }
        for number in 0..<row.max { try world.ask(terminal(number), row.method, row.params(number)) }
        let refused = try world.ask(terminal(row.max), row.method, row.params(row.max))
        world.world.clock.advance(seconds: retryAfter(refused) - 1)
        let early = try world.ask(terminal(row.max), row.method, row.params(row.max))
        #expect(early.errorCode == "TooManyRequests" && retryAfter(early) == 1)
        world.world.clock.advance(seconds: 1)
        #expect(try world.ask(terminal(row.max), row.method, row.params(row.max)).isOK)
    }

    @Test("Twenty mails with links are sent an hour, also for accounts that don't exist") func mails() throws {
        for number in 0..<20 {
            let email = JSONValue.string("p\(number)@example.com")
            #expect(try world.ask(0, "requestPasswordReset", ["email": email]).isOK)
        }
        let refused = try world.ask(0, "requestPasswordReset", ["email": "p@example.com"])
        #expect(refused.errorCode == "TooManyRequests")
        #expect(try world.ask(1, "requestPasswordReset", ["email": "p@example.com"]).isOK)
    }

    @Test("A local connection's address isn't counted, but its terminal is") func exempt() throws {
        let codes = try ask(Array(0..<61), "loginAnonymous") { _ in [:] }
        #expect(codes.allSatisfy { $0 == nil })
        let own = try ask([Int](repeating: 0, count: 30), "loginAnonymous") { _ in [:] }
        #expect(own.last == "TooManyRequests")
    }

    @Test("Codes to the address that a terminal already used aren't counted again") func sameAddress() throws {
        for number in 0..<5 { #expect(try world.ask(0, "sendCode", phone(number)).isOK) }
        world.world.clock.advance(seconds: 61)
        #expect(try world.ask(0, "sendCode", phone(0)).isOK)
        #expect(try world.ask(0, "sendCode", phone(5)).errorCode == "TooManyRequests")
    }

    @Test("A terminal's refused requests don't count for its app and country") func refusedUncounted() throws {
        world.world.environment.limits.codesPerCountry = 6
        let codes = try ask([Int](repeating: 0, count: 20), "sendCode", phone)
        #expect(codes.count { $0 == nil } == 5)
        #expect(try world.ask(1, "sendCode", phone(50)).isOK)
    }

    @Test("A refused request writes only the row of its answer")
    func cheap() throws {
        for number in 0..<5 { try world.ask(0, "sendCode", phone(number)) }
        func rows() throws -> [Int64] {
            try ["attempt", "request", "code", "delivery", "audit", "deadLetter"].map {
                Int64(try world.world.count($0))
            }
        }
        _ = try world.ask(0, "sendCode", phone(5))
        let before = try rows()
        for number in 6..<40 {
            world.send(
                0,
                "sendCode",
                ["phone": phone(number)["phone"] ?? "", "purpose": "register", "countryCode": "49"]
            )
        }
        let answers = try world.answers(0)
        #expect(answers.count == 34)
        #expect(answers.allSatisfy { $0.errorCode == "TooManyRequests" })
        #expect(try rows() == before)
    }

    @Test("Counts of codes survive a restart")
    func survives() throws {
        for number in 0..<5 { try world.ask(0, "sendCode", phone(number)) }
        world.world.environment.quotas = QuotaFront()
        #expect(try world.ask(0, "sendCode", phone(5)).errorCode == "TooManyRequests")
    }

    @Test("Twenty hashes are made in 15 minutes, including right passwords; other terminals continue")
    func hashes() throws {
        try world.register(0, ["username": "somebody"])
        var codes: [String?] = []
        for _ in 0..<20 {
            codes.append(try world.ask(0, "checkPassword", ["password": .string(AccountWorld.password)]).errorCode)
        }
        // The registration has used the first of the twenty hashes.
        #expect(codes == [String?](repeating: nil, count: 19) + ["TooManyRequests"])
        #expect(try world.login(1, ["username": "somebody"]).isOK)
        world.world.clock.advance(seconds: 900)
        let again = try world.ask(0, "checkPassword", ["password": .string(AccountWorld.password)])
        #expect(again.result["match"] == true)
    }

    @Test("A limited number of a terminal's failures is recorded in the audit trail")
    func failuresNoted() throws {
        world.world.environment.limits.counts.failuresNoted = 3
        for number in 0..<9 {
            try world.ask(0, "login", ["phone": .string("15123\(200_000 + number)"), "code": "123456"])
        }
        let lines = try world.world.read { try $0.sql.integer("SELECT count(*) FROM audit WHERE kind = 'codeFailed'") }
        #expect(lines == 3)
    }
}
