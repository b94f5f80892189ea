import Domain
import Hummingbird
import Synchronization
import Testing

@testable import Web

@Suite struct RequestRoutesTests {
    private static let terminal = String(repeating: "ab", count: 16)
    private static let long = "/ll/v1/app/demo/\(terminal)/request/device/list"
    private static let short = "/ll/v1/request/device/list"
    private static let basic = "Basic ZGVtbzphOmI="

    private final class Seen: Sendable {
        let asked = Mutex<[RequestFront.Asked]>([])
        let origins = Mutex<[String]>([])
    }

    private let seen = Seen()

    private func router(
        _ outcome: RequestFront.Outcome = .answer(Array(#"{"id":"q","ok":true}"#.utf8))
    ) throws
        -> Router<WebContext>
    {
        let (app, terminal) = (try #require(AppID("demo")), try #require(TerminalID(Self.terminal)))
        let front = RequestFront(
            root: "ll/v1",
            origins: OriginRule("https://app.example.com"),
            isSecure: false,
            holder: { token in
                guard token.hasPrefix("lls_") else { return nil }
                let over = Rejection(.invalidToken, "The session has ended.", field: "token", reason: "replaced")
                return .init(app: app, terminal: terminal, uid: nil, refusal: token == "lls_old" ? over : nil)
            },
            ask: { [seen] asked in
                seen.asked.withLock { $0.append(asked) }
                return outcome
            },
            streams: nil,
            events: EventStreams(StreamPlaces(), perKey: 4) { _ in throw Rejection.away },
            tell: { [seen] refusal in seen.origins.withLock { $0.append(refusal.detail) } }
        )
        return WebServer(.unused, readiness: Readiness(parts: []), front: front).makeRouter()
    }

    private func post(
        _ path: String = short,
        _ authorization: String? = "Bearer lls_a",
        body: String = "{}",
        type: String = "application/json",
        outcome: RequestFront.Outcome? = nil
    ) async throws -> Asked {
        var headers: HTTPFields = [.contentType: type]
        headers[.authorization] = authorization
        let made = try outcome.map { try router($0) } ?? router()
        return try await Asked(made, path, method: .post, headers: headers, body: body, from: "192.0.2.7")
    }

    @Test(
        "The token is the password for the terminal's topic, also with the short path",
        arguments: [short, long]
    )
    func token(_ path: String) async throws {
        let answer = try await post(path)
        #expect(answer.status == 200)
        #expect(answer.headers[.contentType] == "application/json")
        let asked = try #require(seen.asked.withLock { $0.first })
        #expect(asked.name == "device/list")
        #expect(asked.terminal.text == Self.terminal)
        #expect(asked.password == "lls_a" && asked.isToken)
        #expect(asked.address == "192.0.2.7")
    }

    @Test("Basic uses the app's secret as the password, and requires the long path")
    func secret() async throws {
        #expect(try await post(Self.long, Self.basic).status == 200)
        let asked = try #require(seen.asked.withLock { $0.first })
        #expect(asked.password == "a:b" && !asked.isToken)
        #expect(try await post(Self.short, Self.basic).status == 400)
        #expect(try await post(Self.long.replacing("demo", with: "other"), Self.basic).status == 401)
    }

    @Test(
        "An invalid request never reaches a worker",
        arguments: [
            ("/ll/v1/request/device", "{}", "application/json", 404), (short, "{}", "text/plain", 415),
            (short, "{", "application/json", 400), (short, "[]", "application/json", 400),
            (short, String(repeating: " ", count: 65_537), "application/json", 413),
        ]
    )
    func refused(_ path: String, body: String, type: String, status: Int) async throws {
        let answer = try await post(path, body: body, type: type)
        #expect(answer.status == status)
        #expect(answer.body.hasPrefix(#"{"ok":false,"error":{"code":"#))
        #expect(seen.asked.withLock { $0.isEmpty })
    }

    @Test("Missing and unknown tokens are refused with 401", arguments: [nil, "Bearer unknown", "Digest x"])
    func unauthorized(_ header: String?) async throws {
        let answer = try await post(Self.short, header)
        #expect(answer.status == 401)
        #expect(answer.headers[.wwwAuthenticate] != nil)
    }

    @Test("A path accepts only its method")
    func method() async throws {
        let answer = try await Asked(try router(), Self.short)
        #expect(answer.status == 405)
        #expect(answer.headers[.allow] == "POST, OPTIONS")
    }

    @Test("The status follows from the code of the worker's error", arguments: ErrorCode.allCases)
    func status(_ code: ErrorCode) async throws {
        let text = #"{"id":"q","ok":false,"error":{"code":"\#(code.rawValue)","message":"x","retryAfter":7}}"#
        let answer = try await post(Self.long, outcome: .answer(Array(text.utf8)))
        #expect(answer.status == code.httpStatus)
        #expect(answer.headers[.retryAfter] == "7")
        #expect(answer.body == text)
    }

    @Test("An unknown outcome is 504, and an absent broker 503")
    func outcome() async throws {
        let unknown = try await post(Self.long, outcome: .refusal(.outcomeUnknown))
        #expect(unknown.status == 504)
        #expect(unknown.body.contains(#""reason":"outcomeUnknown""#))
        let away = try await post(Self.long, outcome: .refusal(.away))
        #expect(away.status == 503)
        #expect(away.headers[.retryAfter] == "1")
    }

    @Test("A token refused by the gate gets the reason of its session's end")
    func ended() async throws {
        let refusal = Rejection(.invalidToken, "The token is not valid here.", field: "token")
        let answer = try await post(Self.long, "Bearer lls_old", outcome: .refusal(refusal))
        #expect(answer.status == 401)
        #expect(answer.body.contains(#""reason":"replaced""#))
    }

    @Test("Pages of listed origins can send requests, and others are refused and reported")
    func origins() async throws {
        let headers: HTTPFields = [.origin: "https://app.example.com", .authorization: "Bearer lls_a"]
        let answer = try await Asked(try router(), Self.short, method: .post, headers: headers)
        #expect(answer.status == 200)
        #expect(answer.headers[.accessControlAllowOrigin] == "https://app.example.com")
        let preflight = try await Asked(try router(), Self.short, method: .options, headers: headers)
        #expect(preflight.status == 204)
        #expect(preflight.headers[.accessControlAllowMethods] == "POST")
        let foreign = try await Asked(
            try router(),
            Self.short,
            method: .post,
            headers: [.origin: "https://evil.example", .authorization: "Bearer lls_a"]
        )
        #expect(foreign.status == 403)
        #expect(foreign.headers[.accessControlAllowOrigin] == nil)
        #expect(seen.origins.withLock { $0 } == ["https://evil.example"])
    }
}
