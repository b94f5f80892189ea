import Domain
import Foundation
import JSON
import Testing
import Wire

@Suite("Notices of ended sessions")
struct SessionCodecTests {
    static let scopes: [SessionNotice.Scope] = [
        .session(SessionID(trusted: "s-1")), .terminal(Make.app, Make.terminal),
        .user(Make.uid, except: nil),
        .user(Make.uid, except: Make.terminal),
    ]

    @Test("Written values are read back", arguments: scopes, Session.EndReason.allCases) func roundTrip(
        _ scope: SessionNotice.Scope,
        _ reason: Session.EndReason
    ) throws {
        let notice = SessionNotice(
            id: MessageID(trusted: "n-1"),
            scope: scope,
            reason: reason,
            ts: Make.now,
            actor: Actor(.user, "u-1", terminal: Make.terminal)
        )
        #expect(try SessionCodec.decode(SessionCodec.encode(notice)[...]) == notice)
    }

    @Test(
        "An invalid notice is refused with the field",
        arguments: [
            (#"{"sessionId":"s","reason":"expired","ts":1}"#, "noticeId"),
            (#"{"noticeId":"n","sessionId":"s","ts":1}"#, "reason"),
            (#"{"noticeId":"n","sessionId":"s","reason":"bored","ts":1}"#, "reason"),
            (#"{"noticeId":"n","sessionId":"s","reason":"expired"}"#, "ts"),
            (#"{"noticeId":"n","reason":"expired","ts":1}"#, "sessionId"),
            (#"{"noticeId":"n","appId":"a","reason":"expired","ts":1}"#, "terminalId"),
        ]
    )
    func refuses(_ text: String, _ field: String) {
        let error = #expect(throws: WireError.self) { try SessionCodec.decode(Make.bytes(text)) }
        #expect(error?.field == field)
    }

    @Test("Other users do not see an actor's terminal")
    func privacy() throws {
        let actor = Actor(.user, Make.uid.text, terminal: Make.terminal)
        let own = try #require(EventCodec.encode(actor, for: Make.uid).objectValue)
        let other = try #require(EventCodec.encode(actor, for: UserID(trusted: "u-2")).objectValue)
        #expect(own["terminalId"] != nil)
        #expect(other["terminalId"] == nil)
    }

    @Test("The schema lists the reasons for the end of a session")
    func reasons() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appending(
            path: "../../.."
        )
        let file = root.appending(path: "schemas/generated/lists.json").standardized
        let schema = try JSONValue.parse(Array(Data(contentsOf: file)))
        let reasons = schema.objectValue?["definitions"]?.objectValue?["endReason"]?.objectValue?["enum"]

        #expect(
            Set(try #require(reasons?.arrayValue).compactMap(\.stringValue))
                == Set(Session.EndReason.allCases.map(\.rawValue))
        )
    }
}
