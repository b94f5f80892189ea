import Domain
import JSON
import Testing
import Wire

@Suite("Messages for users and devices")
struct OutgoingTests {
    @Test("A status shows readable attributes and active conditions")
    func status() throws {
        var status = Status(ts: Make.now)
        status.version = 3
        status.attributes = [
            .init(name: "level", value: 5, ts: Make.now), .init(name: "pin", value: "1", ts: Make.now),
            .init(name: "gone", value: 7, ts: Make.now),
        ]
        status.open = [
            .init(kind: .alert, name: "hot", eventID: "e-1"), .init(kind: .fault, name: "f", eventID: "e-2"),
        ]
        status.presence.isOnline = true
        let product = Product(
            key: Make.key,
            name: "Lamp",
            dataPoints: [DataPoint("level", .int), DataPoint("pin", .string, access: .writeOnly)]
        )
        let bytes = StatusCodec.encode(status, of: Make.did, changed: ["level"], product: product)

        #expect(
            try Make.object(bytes) == [
                "did": "d-0000000000001", "sn": 0, "version": 3, "ts": 1_700_000_000_000,
                "online": true,
                "data": ["level": 5], "changed": ["level"], "alerts": ["hot"], "faults": ["f"],
            ]
        )
    }

    @Test("An app's own texts are found by their tag in any case, and missing ones are nil") func ownWords() throws {
        let words = AppWords(["texts": ["code": ["pt-BR": ["sms": "{code}"], "de": ["subject": "x"]]]])

        func found(_ tag: String) throws -> MessageText.OwnWords? {
            words.words("code", try #require(LanguageTag(tag)))
        }
        #expect(try found("PT-br") == .init(sms: "{code}"))
        #expect(try found("de") == .init(subject: "x"))
        #expect(try found("pt") == nil)
        #expect(words.words("test", try #require(LanguageTag("de"))) == nil)
    }

    @Test("A status without declared attributes shows all attributes")
    func freeForm() throws {
        var status = Status(ts: Make.now)
        status.attributes = [.init(name: "any", value: 7, ts: Make.now)]
        let product = Product(key: Make.key, name: "Lamp")

        let free = try Make.object(StatusCodec.encode(status, of: Make.did, product: product))
        let unknown = try Make.object(StatusCodec.encode(status, of: Make.did, product: nil))

        #expect(free["data"] == ["any": 7])
        #expect(unknown["data"] == ["any": 7])
    }

    @Test("A command tells the device the user, but not the terminal")
    func command() throws {
        let command = Command(
            did: Make.did,
            cid: 4,
            sn: 9,
            kind: .write,
            state: .sent,
            data: ["power": true],
            actor: Actor(.user, Make.uid.text, terminal: Make.terminal),
            app: Make.app,
            createdAt: Make.now,
            expiresAt: Make.now.adding(seconds: 30)
        )
        #expect(
            try Make.object(CommandCodec.encode(command, at: Make.now)) == [
                "cid": 4, "sn": 9, "type": "write", "data": ["power": true],
                "actor": ["kind": "user", "id": "u-0000000000001"], "ts": 1_700_000_000_000,
                "expiresAt": 1_700_000_030_000,
            ]
        )
    }

    @Test("An expired command shows neither code nor data")
    func expired() {
        var command = Command(
            did: Make.did,
            cid: 4,
            sn: 9,
            kind: .write,
            state: .expired,
            data: [:],
            actor: .system,
            app: nil,
            createdAt: Make.now,
            expiresAt: Make.now
        )
        command.code = 0
        command.result = ["power": true]
        #expect(CommandCodec.result(command, product: nil) == ["cid": 4, "sn": 9, "state": "expired"])
    }

    @Test("A worker's state is read as it was written")
    func workerState() {
        let state = SystemCodec.decode(
            workerState: SystemCodec.workerState(isOnline: true, ts: Make.now)[...]
        )
        #expect(state?.isOnline == true && state?.ts == Make.now)
        #expect(SystemCodec.decode(workerState: Make.bytes("{}")) == nil)
    }
}
