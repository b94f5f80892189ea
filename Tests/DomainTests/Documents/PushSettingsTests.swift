import Domain
import JSON
import Testing

@Suite("An app's settings for push services")
struct PushSettingsTests {
    static let document: JSONObject = [
        "appId": "demo", "name": "Demo",
        "push": [
            "fcm": [
                "serviceAccount": [
                    "project_id": "lamps", "client_email": "push@lamps.example", "private_key": "PEM",
                    "type": "service_account",
                ]
            ],
            "apns": ["teamId": "T1", "keyId": "K1", "key": "P8", "topic": "org.example.lamps"],
            "webpush": ["subject": "mailto:push@example.org"],
        ],
    ]

    @Test("Without settings, Web Push and gateways work, and pushes show their content") func none() throws {
        let app = try AppCodec.decode(["appId": "demo", "name": "Demo"])

        #expect(app.push == PushSettings())
        #expect(PushKind.allCases.filter(app.push.has) == [.webpush, .gateway])
        #expect(!app.push.isHidden)
    }

    @Test("Settings are read, and default to the push services' public addresses") func whole() throws {
        let push = try AppCodec.decode(Self.document).push

        #expect(push.fcm?.project == "lamps")
        #expect(push.fcm?.tokenURL == "https://oauth2.googleapis.com/token")
        #expect(push.fcm?.baseURL == "https://fcm.googleapis.com")
        #expect(push.apns?.topic == "org.example.lamps")
        #expect(push.apns?.baseURL == nil)
        #expect(push.subject == "mailto:push@example.org")
        #expect(PushKind.allCases.allSatisfy(push.has))
    }

    @Test(
        "A fault is reported with its field",
        arguments: [
            (["content": "some"], "push.content"), (["fcm": [:]], "push.fcm.serviceAccount"),
            (["fcm": ["serviceAccount": ["project_id": "p"]]], "push.fcm.serviceAccount.client_email"),
            (["apns": ["teamId": "T", "keyId": "K", "key": "P8"]], "push.apns.topic"),
            (["webpush": ["subject": "me"]], "push.webpush.subject"),
            (
                ["apns": ["teamId": "T", "keyId": "K", "key": "P8", "topic": "t", "baseUrl": "http://a.example"]],
                "push.apns.baseUrl"
            ),
        ] as [(JSONObject, String)]
    ) func faults(push: JSONObject, field: String) {
        let error = #expect(throws: Rejection.self) {
            try AppCodec.decode(["appId": "demo", "name": "Demo", "push": .object(push)])
        }
        #expect(error?.field == field)
    }

    @Test("Secrets are removed from the document, and restored only where the new document has the same place")
    func secrets() {
        let shown = AppSecrets.removed(from: Self.document)
        let secrets = AppSecrets.only(in: Self.document)

        #expect(shown["push"]?.objectValue?["fcm"] == [:])
        #expect(shown["push"]?.objectValue?["apns"]?.objectValue?["key"] == nil)
        #expect(shown["push"]?.objectValue?["webpush"] == ["subject": "mailto:push@example.org"])
        #expect(secrets["push"]?.objectValue?["apns"] == ["key": "P8"])
        #expect(AppSecrets.completed(shown, from: secrets) == Self.document)
        #expect(AppSecrets.completed(["push": ["webpush": [:]]], from: secrets) == ["push": ["webpush": [:]]])
    }
}

@Suite("The content of pushes")
struct PushPayloadTests {
    private func shown(_ payload: JSONObject, isHidden: Bool = false) throws -> JSONObject {
        var app = try AppCodec.decode(["appId": "demo", "name": "Demo"])
        app.push.isHidden = isHidden
        let address = PushAddress(
            "a",
            kind: .gateway,
            keys: nil,
            isSandbox: false,
            at: TerminalID(trusted: "t"),
            of: UserID(trusted: "u"),
            app: app.id,
            since: Instant(milliseconds: 0)
        )
        return PushPayload.shown(OutgoingPush(to: address, of: nil, payload: payload.encoded()), by: app)
    }

    private let payload: JSONObject = [
        "notificationId": "n-1", "type": "device.fault", "did": "d-1", "title": "Lamp", "text": "Too hot", "ts": 17,
    ]

    @Test("The content is unchanged unless the app hides it") func hidden() throws {
        #expect(try shown(payload) == payload)
        let hidden: JSONObject = [
            "notificationId": "n-1", "type": "device.fault", "title": "Demo", "text": "", "ts": 17,
        ]
        #expect(try shown(payload, isHidden: true) == hidden)
    }

    @Test("A long text is cut between characters", arguments: ["x", "漢", "\"", "😀"]) func long(
        letter: String
    ) throws {
        var long = payload
        long["text"] = .string(String(repeating: letter, count: 4_000))

        let shown = try shown(long)

        #expect((3_000...3_600).contains(shown.encoded().count))
        #expect(shown["text"]?.stringValue?.hasSuffix("\(letter)…") == true)
        #expect(shown["notificationId"] == "n-1")
    }
}
