import Domain
import Testing

@testable import Web

@Suite struct RequestEnvelopeTests {
    private func made(_ body: String, bearer: String? = "lls_a") throws(Rejection) -> String {
        let credentials = bearer.map { RequestCredentials.bearer($0) }
        let envelope = try RequestEnvelope(Array(body.utf8), credentials: credentials, newID: "new")
        return String(decoding: envelope.payload, as: UTF8.self)
    }

    @Test(
        "The front adds missing members, and keeps all other bytes",
        arguments: [
            ("", #"{"id":"new","token":"lls_a"}"#), ("{}", #"{"id":"new","token":"lls_a"}"#),
            (#" { "params": {"x": 1.0} } "#, #" {"id":"new","token":"lls_a", "params": {"x": 1.0} } "#),
            (#"{"id":"q1"}"#, #"{"token":"lls_a","id":"q1"}"#),
            (#"{"id":"q1","token":"lls_a"}"#, #"{"id":"q1","token":"lls_a"}"#),
            (#"{"id":7}"#, #"{"token":"lls_a","id":7}"#),
        ]
    )
    func added(_ body: String, payload: String) throws {
        #expect(try made(body) == payload)
    }

    @Test("Without a bearer token, the body's token counts")
    func ownToken() throws {
        let envelope = try RequestEnvelope(Array(#"{"id":"q","token":"lls_b"}"#.utf8), credentials: nil, newID: "new")
        #expect(envelope.token == "lls_b")
        #expect(try made("{}", bearer: nil) == #"{"id":"new"}"#)
    }

    @Test("Two different tokens are refused")
    func twoTokens() {
        let error = #expect(throws: Rejection.self) { try made(#"{"token":"lls_b"}"#) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.field == "token")
    }

    @Test(
        "A body that isn't a JSON object is refused without a transaction",
        arguments: ["[]", "1", "{", #"{"id":"a","id":"b"}"#, "{}{}", "\u{0}"]
    )
    func malformed(_ body: String) {
        let error = #expect(throws: Rejection.self) { try made(body) }
        #expect(error?.code == .invalidRequest)
    }
}

@Suite struct RequestCredentialsTests {
    @Test(
        "Bearer has a token, and Basic has an app and its secret",
        arguments: [
            ("Bearer lls_a", RequestCredentials.bearer("lls_a")), ("bearer  lls_a ", .bearer("lls_a")),
            ("Basic ZGVtbzphOmI=", .basic(app: "demo", secret: "a:b")),
        ]
    )
    func read(_ header: String, expected: RequestCredentials) throws {
        #expect(try RequestCredentials.read(header) == expected)
    }

    @Test("A missing header is no error")
    func none() throws { #expect(try RequestCredentials.read(nil) == nil) }

    @Test(
        "All other headers are refused with 401",
        arguments: [
            "", "Bearer", "Digest x", "Basic", "Basic !!!!", "Basic ZGVtbw==", "Basic ZGVtbzphOmI", "Bearer a\"b",
            "Bearer " + String(repeating: "x", count: 257),
        ]
    )
    func refused(_ header: String) {
        let error = #expect(throws: Rejection.self) { try RequestCredentials.read(header) }
        #expect(error?.httpStatus == 401)
    }
}
