import Domain
import JSON
import Testing
import Wire

@Suite("Registration on the wire")
struct RegistrationCodecTests {
    private func decode(_ text: String) throws(WireError) -> RegistrationRequest {
        try RegistrationCodec.decode(Make.bytes(text), productKey: Make.key, mac: Make.mac)
    }

    @Test("A registration is parsed, and unknown hardware fields are dropped")
    func good() throws {
        let request = try decode(
            #"{"id":"r","mac":"0123456789ab","passcode":"123456","oldSecret":"s","hardware":{"link":"wifi","mcuSoftVersion":"2","x":1}}"#
        )
        #expect(request.passcode == "123456" && request.oldSecret == "s")
        #expect(request.hardware == ["link": "wifi", "mcuSoftVersion": "2"])
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var text: String
        var field: String
        init(_ text: String, _ field: String) {
            self.text = text
            self.field = field
        }
        var testDescription: String { text }
    }

    static let bad = [
        Bad(#"{"mac":"0123456789ab","passcode":"123456"}"#, "id"), Bad(#"{"id":"r","passcode":"123456"}"#, "mac"),
        Bad(#"{"id":"r","mac":"0123456789ac","passcode":"123456"}"#, "mac"),
        Bad(#"{"id":"r","mac":"0123456789AB","passcode":"123456"}"#, "mac"),
        Bad(#"{"id":"r","mac":"0123456789ab"}"#, "passcode"),
        Bad(#"{"id":"r","mac":"0123456789ab","passcode":"12345"}"#, "passcode"),
        Bad(
            #"{"id":"r","mac":"0123456789ab","passcode":"\#(String(repeating: "1", count: 33))"}"#,
            "passcode"
        ),
        Bad(#"{"id":"r","mac":"0123456789ab","passcode":123456}"#, "passcode"),
        Bad(#"{"id":"r","mac":"0123456789ab","passcode":"123456","oldSecret":7}"#, "oldSecret"),
        Bad(#"{"id":"r","mac":"0123456789ab","passcode":"123456","hardware":[]}"#, "hardware"),
        Bad(#"{"id":"r","mac":"0123456789ab","passcode":"123456","hardware":{"link":"lora"}}"#, "hardware.link"),
        Bad(
            #"{"id":"r","mac":"0123456789ab","passcode":"123456","hardware":{"mcuSoftVersion":2}}"#,
            "hardware.mcuSoftVersion"
        ),
    ]

    @Test("An invalid registration is refused with the field", arguments: bad)
    func refuses(_ row: Bad) {
        let error = #expect(throws: WireError.self) { try decode(row.text) }
        #expect(error?.field == row.field)
        #expect(error?.id?.text == (row.field == "id" ? nil : "r"))
    }

    @Test("An info message contains a passcode or hardware")
    func info() throws {
        let info = try RegistrationCodec.decode(
            info: Make.bytes(#"{"id":"i","passcode":"654321"}"#)
        )
        #expect(info.passcode == "654321" && info.hardware == nil && info.id?.text == "i")
        #expect(throws: WireError.self) { try RegistrationCodec.decode(info: Make.bytes(#"{"id":"i"}"#)) }
    }

    @Test("The answer contains id and secret")
    func granted() throws {
        let answer = RegistrationCodec.granted(
            MessageID(trusted: "r"),
            did: Make.did,
            secret: "s"
        )
        #expect(
            try Make.object(answer)
                == ["id": "r", "ok": true, "result": ["did": "d-0000000000001", "secret": "s"]]
        )
    }

    @Test("Only names and sizes of a secret message are stored")
    func shape() {
        let shape = Payload.shape(
            of: Make.bytes(#"{"id":"r","passcode":"123456","hardware":{"n":[1,2]},"t":true}"#)
        )
        let text = String(decoding: shape, as: UTF8.self)
        #expect(!text.contains("123456") && text.contains("passcode") && text.contains("6 bytes"))
        #expect(Payload.shape(of: Make.bytes("passcode=123456")) == Array(#"{"bytes":15}"#.utf8))
    }
}
