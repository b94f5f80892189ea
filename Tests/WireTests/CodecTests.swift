import Domain
import JSON
import Testing
import Wire

@Suite("Presence on the wire")
struct PresenceCodecTests {
    @Test("A device's birth and will are read")
    func device() throws {
        let birth = try PresenceCodec.decode(device: Make.bytes(#"{"online":true,"session":"a"}"#))
        let will = try PresenceCodec.decode(device: Make.bytes(#"{"online":false}"#))
        #expect(birth == .birth(session: "a"))
        #expect(will == .will(session: nil))
    }

    @Test("The gate's word is read")
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
        "Anything else is refused",
        arguments: [
            "{}", #"{"online":1}"#, #"{"online":"true"}"#, "x", #"{"online":true,"session":7}"#,
        ]
    )
    func refuses(_ text: String) {
        #expect(throws: WireError.self) { try PresenceCodec.decode(device: Make.bytes(text)) }
        #expect(throws: WireError.self) { try PresenceCodec.decode(gate: Make.bytes(text)) }
    }
}

@Suite("Registration on the wire")
struct RegistrationCodecTests {
    private func decode(_ text: String) throws(WireError) -> RegistrationRequest {
        try RegistrationCodec.decode(Make.bytes(text), productKey: Make.key, mac: Make.mac)
    }

    @Test("A registration is read, and unknown hardware fields are dropped")
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
        Bad(#"{"mac":"0123456789ab","passcode":"123456"}"#, "id"),
        Bad(#"{"id":"r","passcode":"123456"}"#, "mac"),
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
        Bad(
            #"{"id":"r","mac":"0123456789ab","passcode":"123456","hardware":{"link":"lora"}}"#,
            "hardware.link"
        ),
        Bad(
            #"{"id":"r","mac":"0123456789ab","passcode":"123456","hardware":{"mcuSoftVersion":2}}"#,
            "hardware.mcuSoftVersion"
        ),
    ]

    @Test("A bad registration is refused with its field", arguments: bad)
    func refuses(_ row: Bad) {
        let error = #expect(throws: WireError.self) { try decode(row.text) }
        #expect(error?.field == row.field)
        #expect(error?.id?.text == (row.field == "id" ? nil : "r"))
    }

    @Test("An info holds a passcode or hardware")
    func info() throws {
        let info = try RegistrationCodec.decode(
            info: Make.bytes(#"{"id":"i","passcode":"654321"}"#)
        )
        #expect(info.passcode == "654321" && info.hardware == nil && info.id?.text == "i")
        #expect(throws: WireError.self) {
            try RegistrationCodec.decode(info: Make.bytes(#"{"id":"i"}"#))
        }
    }

    @Test("The answer gives id and secret")
    func granted() throws {
        let answer = RegistrationCodec.granted(
            MessageID(trusted: "r"),
            did: Make.did,
            secret: "s",
            endpoint: nil
        )
        #expect(
            try Make.object(answer)
                == ["id": "r", "ok": true, "result": ["did": "d-0000000000001", "secret": "s"]]
        )
    }

    @Test("Of a secret message only names and sizes are kept")
    func shape() {
        let shape = Payload.shape(
            of: Make.bytes(#"{"id":"r","passcode":"123456","hardware":{"n":[1,2]},"t":true}"#)
        )
        let text = String(decoding: shape, as: UTF8.self)
        #expect(!text.contains("123456") && text.contains("passcode") && text.contains("6 bytes"))
        #expect(Payload.shape(of: Make.bytes("passcode=123456")) == Array(#"{"bytes":15}"#.utf8))
    }
}

@Suite("Requests on the wire")
struct RequestCodecTests {
    private func decode(_ text: String, method: String = "bind") throws(WireError) -> AppRequest {
        try RequestCodec.decode(
            Make.bytes(text),
            app: Make.app,
            terminal: Make.terminal,
            service: "device",
            method: method,
            reply: ReplyAddress(topic: "x", correlation: nil)
        )
    }

    @Test("An envelope is read")
    func good() throws {
        let request = try decode(#"{"id":"q","token":"t","uid":"u","params":{"a":1}}"#)
        #expect(request.name == "device/bind")
        #expect(request.token == "t" && request.uid == "u" && request.params == ["a": 1])
        #expect(try decode(#"{"id":"q"}"#).params == [:])
    }

    @Test(
        "A bad envelope is refused with its field",
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

    @Test("Requests mean the same whatever the order of members and whatever is null")
    func content() throws {
        let one = try decode(
            #"{"id":"q","token":"t","params":{"a":1,"b":{"c":2,"d":[1,{"x":1,"y":2}]},"n":null}}"#
        )
        let two = try decode(
            #"{"params":{"b":{"d":[1,{"y":2,"x":1}],"c":2},"a":1},"token":"t","id":"q"}"#
        )
        #expect(RequestCodec.content(of: one) == RequestCodec.content(of: two))
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
        let content = RequestCodec.content(of: try decode(first))
        #expect(try RequestCodec.content(of: decode(text)) != content)
        #expect(try RequestCodec.content(of: decode(first, method: "unbind")) != content)
    }

    @Test("A refusal is written with all that helps, and without what is not known")
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
                    "code": "TooManyRequests", "message": "Slow down.", "field": "f", "reason": "r",
                    "retryAfter": 9,
                ],
            ]
        )
        #expect(
            try Make.object(AnswerCodec.refusal(nil, Rejection(.internal, "m")))
                == ["ok": false, "error": ["code": "Internal", "message": "m"]]
        )
    }
}

@Suite("Notices that sessions are over")
struct SessionCodecTests {
    static let scopes: [SessionNotice.Scope] = [
        .session(SessionID(trusted: "s-1")), .terminal(Make.app, Make.terminal),
        .user(Make.uid, except: nil),
        .user(Make.uid, except: Make.terminal),
    ]

    @Test("What is written is read back", arguments: scopes, Session.EndReason.allCases)
    func roundTrip(_ scope: SessionNotice.Scope, _ reason: Session.EndReason) throws {
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
        "A bad notice is refused with its field",
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

    @Test("Another user does not see the terminal of an actor")
    func privacy() throws {
        let actor = Actor(.user, Make.uid.text, terminal: Make.terminal)
        let own = try #require(EventCodec.encode(actor, for: Make.uid).objectValue)
        let other = try #require(EventCodec.encode(actor, for: UserID(trusted: "u-2")).objectValue)
        #expect(own["terminalId"] != nil)
        #expect(other["terminalId"] == nil)
    }
}

@Suite("Products and apps as documents")
struct DocumentTests {
    private static let key = String(repeating: "a", count: 32)

    private func product(_ more: String = "") throws -> Product {
        try ProductCodec.decode(
            Make.object(Array(#"{"productKey":"\#(Self.key)","name":"Lamp"\#(more)}"#.utf8))
        )
    }

    @Test("A product is written as it was read")
    func roundTrip() throws {
        let product = try product(
            #"""
            ,"registration":"listed","reset":"open","remoteBind":"secret","historyDays":7,
            "alerts":["hot"],"faults":["f"],"dataPoints":[
            {"name":"p","access":"rw","type":"bool","displayName":"Power"},
            {"name":"l","access":"rw","type":"int","min":0,"max":100,"step":5,"unit":"%"},
            {"name":"t","access":"ro","type":"float","min":-40.5},
            {"name":"m","access":"rw","type":"enum","values":["a","b"]},
            {"name":"s","access":"wo","type":"string","maxLength":8},
            {"name":"r","access":"ro","type":"raw"}]
            """#
        )
        #expect(try ProductCodec.decode(ProductCodec.encode(product)) == product)
        #expect(product.dataPoints.count == 6)
    }

    @Test("What a product does not say has its default")
    func defaults() throws {
        let product = try product()
        #expect(product.isFreeForm && product.registration == .open && product.reset == .owner)
        #expect(product.remoteBind == .claim && product.historyDays == nil)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var more: String
        var field: String
        init(_ more: String, _ field: String) {
            self.more = more
            self.field = field
        }
        var testDescription: String { more }
    }

    static let bad = [
        Bad(#","registration":"closed""#, "registration"), Bad(#","reset":"never""#, "reset"),
        Bad(#","alerts":["a","a"]"#, "alerts"), Bad(#","faults":[1]"#, "faults"),
        Bad(#","faults":[""]"#, "faults"),
        Bad(#","historyDays":0"#, "historyDays"), Bad(#","dataPoints":{}"#, "dataPoints"),
        Bad(#","dataPoints":[1]"#, "dataPoints.0"),
        Bad(#","dataPoints":[{"access":"rw","type":"int"}]"#, "dataPoints.0.name"),
        Bad(#","dataPoints":[{"name":"a","type":"int"}]"#, "dataPoints.0.access"),
        Bad(#","dataPoints":[{"name":"a","access":"rw"}]"#, "dataPoints.0.type"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"date"}]"#, "dataPoints.0.type"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"enum"}]"#, "dataPoints.0.values"),
        Bad(
            #","dataPoints":[{"name":"a","access":"rw","type":"enum","values":["x","x"]}]"#,
            "dataPoints.0.values"
        ),
        Bad(
            #","dataPoints":[{"name":"a","access":"rw","type":"int","min":2,"max":1}]"#,
            "dataPoints.0.min"
        ),
        Bad(
            #","dataPoints":[{"name":"a","access":"rw","type":"int","step":0}]"#,
            "dataPoints.0.step"
        ),
        Bad(
            #","dataPoints":[{"name":"a","access":"rw","type":"int"},{"name":"a","access":"rw","type":"int"}]"#,
            "dataPoints.1.name"
        ),
    ]

    @Test("A bad product is refused with its field", arguments: bad)
    func refuses(_ row: Bad) {
        let rejection = #expect(throws: Rejection.self) { try product(row.more) }
        #expect(rejection?.field == row.field)
    }

    @Test("An app sees all products or those it lists")
    func apps() throws {
        func app(_ more: String) throws -> App {
            try AppCodec.decode(Make.object(Array(#"{"appId":"demo","name":"Demo"\#(more)}"#.utf8)))
        }
        #expect(try app("").products == .all)
        #expect(try app(#","products":"all""#).products == .all)
        #expect(try app(#","products":["\#(Self.key)"]"#).products == .only([Make.key]))
        for more in [#","products":"some""#, #","products":["x"]"#, #","products":[7]"#] {
            #expect(throws: Rejection.self) { try app(more) }
        }
    }
}

@Suite("What users and devices are told")
struct OutgoingTests {
    @Test("A status shows what may be read, and what is on")
    func status() throws {
        var status = Status(ts: Make.now)
        status.version = 3
        status.attributes = [
            .init(name: "level", value: 5, ts: Make.now),
            .init(name: "pin", value: "1", ts: Make.now),
        ]
        status.open = [
            .init(kind: .alert, name: "hot", eventID: "e-1"),
            .init(kind: .fault, name: "f", eventID: "e-2"),
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

    @Test("A command tells the device who asks, but not from which terminal")
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
            try Make.object(CommandCodec.encode(command)) == [
                "cid": 4, "sn": 9, "type": "write", "data": ["power": true],
                "actor": ["kind": "user", "id": "u-0000000000001"], "expiresAt": 1_700_000_030_000,
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
        #expect(
            CommandCodec.result(command, product: nil) == ["cid": 4, "sn": 9, "state": "expired"]
        )
    }

    @Test("A worker's state is written and read back")
    func workerState() {
        let state = SystemCodec.decode(
            workerState: SystemCodec.workerState(isOnline: true, ts: Make.now)[...]
        )
        #expect(state?.isOnline == true && state?.ts == Make.now)
        #expect(SystemCodec.decode(workerState: Make.bytes("{}")) == nil)
    }
}
