import Domain
import JSON
import Storage
import Testing

@testable import Workers

extension CountTests {
    @Test("Requests with the codeToken have their own tries, which strangers can't use up") func codeToken() throws {
        try world.register(0, ["phone": "15123300000"])
        world.world.clock.advance(seconds: 61)
        let sent = try world.ask(0, "sendCode", ["phone": "15123300000", "purpose": "login"])
        let code = try world.mails().last?.params["code"] ?? ""
        let token = sent.result["codeToken"] ?? ""
        func login(_ terminal: Int, _ code: String, _ token: JSONValue? = nil) throws -> String? {
            var params: JSONObject = ["phone": "15123300000", "code": .string(code)]
            params["codeToken"] = token
            return try world.ask(terminal, "login", params).errorCode
        }
        for terminal in 10..<20 { #expect(try login(terminal, AccountWorld.wrong(code)) == "InvalidCode") }
        for terminal in 10..<20 {
            #expect(try login(terminal, AccountWorld.wrong(code), "not-the-token") == "InvalidCode")
        }
        #expect(try login(0, code) == "InvalidCode", "the tries without the token are used up")
        for _ in 0..<4 { #expect(try login(0, AccountWorld.wrong(code), token) == "InvalidCode") }
        #expect(try login(0, code, token) == nil)
    }

    @Test("The tries with the token are counted as well")
    func codeTokenTries() throws {
        let sent = try world.ask(0, "sendCode", phone(1))
        let code = try world.mails().last?.params["code"] ?? ""
        var params = phone(1)
        params["codeToken"] = sent.result["codeToken"]
        for _ in 0..<5 {
            params["code"] = .string(AccountWorld.wrong(code))
            #expect(try world.ask(0, "checkCode", params).result["valid"] == false)
        }
        params["code"] = .string(code)
        #expect(try world.ask(0, "checkCode", params).result["valid"] == false)
        params["codeToken"] = nil
        #expect(try world.ask(0, "checkCode", params).result["valid"] == true, "the others' tries are there")
    }

    @Test("A user whose password is locked by strangers logs in by a code with its token") func shutOut() throws {
        try world.register(0, ["phone": "15123300000"])
        for terminal in 10..<20 {
            _ = try world.login(terminal, ["phone": "15123300000"], password: "a stranger's try")
        }
        #expect(try world.login(0, ["phone": "15123300000"]).errorCode == "TooManyRequests")
        world.world.clock.advance(seconds: 61)
        let sent = try world.ask(0, "sendCode", ["phone": "15123300000", "purpose": "login"])
        let code = try world.mails().last?.params["code"] ?? ""
        for terminal in 20..<26 {
            try world.ask(terminal, "login", ["phone": "15123300000", "code": .string(AccountWorld.wrong(code))])
        }
        let answer = try world.ask(
            0,
            "login",
            ["phone": "15123300000", "code": .string(code), "codeToken": sent.result["codeToken"] ?? ""]
        )
        #expect(answer.isOK)
    }
}
