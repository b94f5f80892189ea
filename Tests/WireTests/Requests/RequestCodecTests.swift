import Domain
import JSON
import Testing
import Wire

@Suite("Requests on the wire")
struct AppRequestTests {
    private func decode(_ text: String, method: String = "bind") throws(WireError) -> AppRequest {
        try AppRequest(
            Make.bytes(text),
            app: Make.app,
            terminal: Make.terminal,
            service: "device",
            method: method,
            reply: ReplyAddress(topic: "x", correlation: nil)
        )
    }

    @Test("An envelope is parsed")
    func good() throws {
        let request = try decode(#"{"id":"q","token":"t","uid":"u","params":{"a":1}}"#)
        #expect(request.name == "device/bind")
        #expect(request.token == "t" && request.uid == "u" && request.params == ["a": 1])
        #expect(try decode(#"{"id":"q"}"#).params == [:])
    }

    @Test(
        "An invalid envelope is refused with the field",
        arguments: [
            ("{}", "id"), (#"{"id":7}"#, "id"), (#"{"id":"a b"}"#, "id"),
            (#"{"id":"q","token":7}"#, "token"),
            (#"{"id":"q","uid":[]}"#, "uid"), (#"{"id":"q","params":[]}"#, "params"),
            (#"{"id":"q","token":"\#(String(repeating: "t", count: 257))"}"#, "token"),
        ]
    )
    func refuses(_ text: String, _ field: String) {
        let error = #expect(throws: WireError.self) { try decode(text) }
        #expect(error?.field == field)
    }

    @Test("Requests are equal regardless of the order of members and of null members") func content() throws {
        let one = try decode(#"{"id":"q","token":"t","params":{"a":1,"b":{"c":2,"d":[1,{"x":1,"y":2}]},"n":null}}"#)
        let two = try decode(#"{"params":{"b":{"d":[1,{"y":2,"x":1}],"c":2},"a":1},"token":"t","id":"q"}"#)
        #expect(one.content == two.content)
    }

    @Test(
        "Requests differ by method, token, user, value and order of arrays",
        arguments: [
            #"{"id":"q","token":"u","params":{"a":[1,2]}}"#,
            #"{"id":"q","token":"t","uid":"x","params":{"a":[1,2]}}"#,
            #"{"id":"q","token":"t","params":{"a":[2,1]}}"#,
            #"{"id":"q","token":"t","params":{"b":[1,2]}}"#,
            #"{"id":"q","token":"t"}"#,
        ]
    )
    func otherContent(_ text: String) throws {
        let first = #"{"id":"q","token":"t","params":{"a":[1,2]}}"#
        let content = try decode(first).content
        #expect(try decode(text).content != content)
        #expect(try decode(first, method: "unbind").content != content)
    }

    @Test("A refusal contains all helpful members, and omits unknown ones")
    func refusal() throws {
        let rejection = Rejection(
            .tooManyRequests,
            "Slow down.",
            field: "f",
            reason: "r",
            retryAfter: 9
        )
        #expect(
            try Make.object(AnswerCodec.refusal(MessageID(trusted: "q"), rejection)) == [
                "id": "q", "ok": false,
                "error": [
                    "code": "TooManyRequests", "message": "Slow down.", "field": "f", "reason": "r", "retryAfter": 9,
                ],
            ]
        )
        #expect(
            try Make.object(AnswerCodec.refusal(nil, Rejection(.internal, "m")))
                == ["ok": false, "error": ["code": "Internal", "message": "m"]]
        )
    }
}
