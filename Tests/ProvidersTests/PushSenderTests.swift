import CryptoExtras
import Domain
import Foundation
import Hummingbird
import JSON
import Synchronization
import TestKit
import Testing

@testable import Providers

@Suite("Sending pushes", .endsInTime)
struct PushSenderTests {
    private static let now: Int64 = 1_800_000_000
    private static let publicKey =
        "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"
    private static let rsa = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation }

    private static func address(_ kind: PushKind, _ text: String) -> PushAddress {
        PushAddress(
            text,
            kind: kind,
            keys: .init(p256dh: publicKey, auth: "BTBZMqHH6r4Tts7J_aSIgg"),
            isSandbox: false,
            at: TerminalID(trusted: "t"),
            of: UserID(trusted: "u"),
            app: AppID(trusted: "demo"),
            since: Instant(milliseconds: 0)
        )
    }

    private static func delivery(_ address: PushAddress, _ settings: PushSettings = .init()) throws -> PushDelivery {
        let payload: JSONObject = [
            "notificationId": "n-1", "type": "device.fault", "title": "Lamp", "text": "Too hot", "ts": 17,
        ]
        return PushDelivery(
            OutgoingPush(to: address, of: NotificationID(trusted: "n-1"), payload: payload.encoded()),
            message: MessageID(trusted: "m-1"),
            from: App(id: address.app, name: "Demo", products: .all, push: settings),
            key: try #require(VAPIDKey(Array(repeating: 7, count: 32))),
            expiresAt: Instant(milliseconds: (now + 600) * 1_000)
        )
    }

    /// Sends a push message `count` times to a test's server, and returns the outcomes and the requests.
    private func send(
        _ kind: PushKind = .webpush,
        times count: Int = 1,
        allowing targets: String = "127.0.0.1",
        _ handler: @escaping @Sendable (ReceivedRequest) async throws -> Say = { _ in Say(status: 201, body: "") },
        mayBegin: @escaping @Sendable () -> Bool = { true }
    ) async throws -> (failures: [MessageFailure?], asks: [ReceivedRequest]) {
        let rule = try OutboundRule(privateTargets: targets)
        let pem = try Self.rsa.get()
        return try await withServer(handler) { url, asked in
            let sender = PushSender(rule) { Self.now }
            defer { sender.shutdown() }
            let account: JSONObject = [
                "project_id": "lamps", "client_email": "a@b.c", "private_key": .string(pem),
                "token_uri": .string(url + "/token"),
            ]
            let settings = try PushSettings.parse(
                Fields(["fcm": ["serviceAccount": .object(account), "baseUrl": .string(url)]])
            )
            var delivery = try Self.delivery(Self.address(kind, kind == .fcm ? "TOKEN" : url + "/push/1"), settings)
            delivery.mayBegin = mayBegin
            var failures: [MessageFailure?] = []
            for _ in 0..<count {
                failures.append(await failure { () async throws(MessageFailure) in try await sender.send(delivery) })
            }
            return (failures, asked.all)
        }
    }

    private func failure(of body: () async throws(MessageFailure) -> Void) async -> MessageFailure? {
        do throws(MessageFailure) {
            try await body()
            return nil
        } catch {
            return error
        }
    }

    // MARK: Web Push

    @Test("A push service gets an encrypted push, its urgency, its time to live and the app's key")

    func web() async throws {
        let (failures, asks) = try await send()

        #expect(failures == [nil])
        let headers = try #require(asks.first?.headers)
        #expect(asks.first?.method == "POST")
        #expect(headers["content-encoding"] == "aes128gcm")
        #expect(headers["ttl"] == "600")
        #expect(headers["urgency"] == "high")
        #expect(headers["topic"] == "n-1")
        #expect(headers["authorization"]?.hasPrefix("vapid t=") == true)
    }

    @Test(
        "Each answer of a push service has its meaning",
        arguments: [
            (200, "sent"), (202, "sent"), (404, "gone"), (410, "gone"), (413, "final"), (400, "refused"),
            (403, "refused"),
            (302, "refused"), (408, "later"), (429, "later"), (500, "later"), (503, "later"),
        ]
    ) func meaning(status: Int, meaning: String) async throws {
        let (failures, _) = try await send { _ in Say(status: status, body: "", headers: [.retryAfter: "17"]) }

        #expect(failures.map(Self.word) == [meaning])
        guard let failure = failures[0], failure != .gone else { return }
        #expect(failure.reason.contains("\(status)"))
        if case .unavailable(_, let retryAfter) = failure { #expect(retryAfter == 17) }
    }

    private static func word(_ failure: MessageFailure?) -> String {
        switch failure {
        case nil: "sent"
        case .gone: "gone"
        case .final: "final"
        case .refused: "refused"
        case .unavailable: "later"
        }
    }

    @Test("An address forbidden by the outbound rule is never contacted") func forbidden() async throws {
        let (failures, asks) = try await send(allowing: "")

        #expect(failures.map(Self.word) == ["final"])
        #expect(failures[0]?.reason.hasPrefix("addressNotAllowed") == true)
        #expect(asks.isEmpty)
    }

    @Test("A push withdrawn during the connection is not sent") func withdrawn() async throws {
        let (failures, asks) = try await send(mayBegin: { false })

        #expect(failures.map(Self.word) == ["later"])
        #expect(asks.isEmpty)
    }

    @Test("A push service is not contacted for a while after ten failures in a row") func breaker() async throws {
        let (failures, asks) = try await send(times: 12) { _ in Say(status: 500) }

        #expect(failures.allSatisfy { Self.word($0) == "later" })
        #expect(asks.count == 10)
    }

    // MARK: Firebase Cloud Messaging

    @Sendable
    private static func google(_ ask: ReceivedRequest) -> Say? {
        guard ask.path == "/token" else { return nil }
        return .json(["access_token": .string("token"), "expires_in": 3_600])
    }

    @Test("One access token serves many pushes, and the message has title, text and data") func fcm() async throws {
        let (failures, asks) = try await send(.fcm, times: 3) { ask in Self.google(ask) ?? Say() }

        #expect(failures == [nil, nil, nil])
        #expect(asks.map(\.path) == ["/token"] + Array(repeating: "/v1/projects/lamps/messages:send", count: 3))
        #expect(asks.first?.query["grant_type"] == "urn:ietf:params:oauth:grant-type:jwt-bearer")
        #expect(asks.last?.authorization == "Bearer token")
        #expect(
            try JSONValue.parse(Array((asks.last?.body ?? "").utf8)) == [
                "message": [
                    "token": "TOKEN", "notification": ["title": "Lamp", "body": "Too hot"],
                    "data": ["notificationId": "n-1", "type": "device.fault", "ts": "17"],
                    "android": ["priority": "HIGH", "ttl": "600s", "notification": ["tag": "n-1"]],
                ]
            ]
        )
        let assertion = try #require(IDToken(asks.first?.query["assertion"] ?? ""))
        #expect(assertion.algorithm == "RS256")
        #expect(assertion.claims["iss"] == "a@b.c")
        #expect(assertion.claims["exp"] == .integer(Self.now + 3_600))
    }

    @Test("A refused access token is replaced once, and the push is sent at once") func renewed() async throws {
        let refusals = Mutex(1)
        let (failures, asks) = try await send(.fcm) { ask in
            if let token = Self.google(ask) { return token }
            let mustRefuse = refusals.withLock { left in
                defer { left -= 1 }
                return left > 0
            }
            return Say(status: mustRefuse ? 401 : 200)
        }

        #expect(failures == [nil])
        #expect(asks.count { $0.path == "/token" } == 2)
    }

    @Test(
        "Each error of Google has its meaning",
        arguments: [
            (404, "UNREGISTERED", "gone"), (404, "", "refused"), (400, "INVALID_ARGUMENT", "final"),
            (403, "SENDER_ID_MISMATCH", "final"), (403, "", "refused"), (401, "", "refused"),
            (503, "UNAVAILABLE", "later"),
            (429, "QUOTA_EXCEEDED", "later"),
        ]
    ) func errors(status: Int, code: String, meaning: String) async throws {
        let (failures, _) = try await send(.fcm) { ask in
            Self.google(ask)
                ?? .json(["error": ["status": "X", "details": [["errorCode": .string(code)]]]], status: status)
        }

        #expect(failures.map(Self.word) == [meaning])
        if meaning == "refused" { #expect(failures[0]?.reason.contains("push.fcm") == true) }
        if meaning == "final" { #expect(failures[0]?.reason.contains(code) == true) }
    }

    @Test("A refused service account is reported with its path in the app's document") func account() async throws {
        let (failures, asks) = try await send(.fcm, times: 2) { _ in .json(["error": "invalid_grant"], status: 400) }

        #expect(failures.map(Self.word) == ["refused", "refused"])
        #expect(failures[0]?.reason.contains("invalid_grant") == true)
        #expect(failures[0]?.reason.contains("push.fcm.serviceAccount") == true)
        #expect(asks.map(\.path) == ["/token", "/token"])
    }
}
