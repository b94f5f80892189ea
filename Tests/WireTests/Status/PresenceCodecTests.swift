import Domain
import JSON
import Testing
import Wire

@Suite("Presence on the wire")
struct PresenceCodecTests {
    @Test("A device's birth and will are parsed")
    func device() throws {
        let birth = try PresenceCodec.decode(device: Make.bytes(#"{"online":true,"session":"a"}"#))
        let will = try PresenceCodec.decode(device: Make.bytes(#"{"online":false}"#))
        #expect(birth == .birth(session: "a"))
        #expect(will == .will(session: nil))
    }

    @Test("The gate's presence message is parsed")
    func gate() throws {
        let came = try PresenceCodec.decode(
            gate: Make.bytes(#"{"online":true,"connection":3,"ts":1}"#)
        )
        let went = try PresenceCodec.decode(
            gate: Make.bytes(#"{"online":false,"connection":3,"reason":"kicked","ts":1}"#)
        )
        #expect(came == .connected(connection: 3))
        #expect(went == .disconnected(connection: 3, reason: "kicked"))
    }

    @Test(
        "All other messages are refused",
        arguments: [
            "{}", #"{"online":1}"#, #"{"online":"true"}"#, "x", #"{"online":true,"session":7}"#,
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: WireError.self) { try PresenceCodec.decode(device: Make.bytes(text)) }
        #expect(throws: WireError.self) { try PresenceCodec.decode(gate: Make.bytes(text)) }
    }
}
