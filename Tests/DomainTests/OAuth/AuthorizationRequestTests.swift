import Domain
import Testing

@Suite("Requests to link a service")
struct AuthorizationRequestTests {
    private static let redirect = "https://voice.example/callback?skill=1"

    private static func client(isPublic: Bool = false) -> OAuthClient {
        OAuthClient(
            id: ClientID(trusted: "o-1"),
            app: AppID(trusted: "app"),
            name: "Voice",
            redirects: [redirect],
            scopes: ["device", "home:read"].compactMap { KeyScope($0) },
            secretHash: isPublic ? nil : [1]
        )
    }

    private static let challenge = String(repeating: "a", count: 43)
    private static let good = [
        ("client_id", "o-1"), ("redirect_uri", redirect), ("response_type", "code"), ("state", "s"),
    ]

    private func fault(_ pairs: [(String, String)], isPublic: Bool = false) -> AuthorizationRequest.Fault? {
        do throws(AuthorizationRequest.Fault) {
            let parameters = OAuthParameters(pairs.map { (name: $0.0, value: $0.1) })
            _ = try AuthorizationRequest(parameters, of: Self.client(isPublic: isPublic))
            return nil
        } catch {
            return error
        }
    }

    private func code(_ more: [(String, String)], without name: String = "", isPublic: Bool = false) -> String? {
        guard case .error(let error, _, _)? = fault(Self.good.filter { $0.0 != name } + more, isPublic: isPublic) else {
            return nil
        }
        return error.code
    }

    @Test("A request with a registered redirect and scopes is accepted")
    func accepted() throws {
        let pairs = (Self.good + [("scope", "home:read device")]).map { (name: $0.0, value: $0.1) }
        let request = try AuthorizationRequest(OAuthParameters(pairs), of: Self.client())
        #expect(request.scopes.map(\.text) == ["device", "home:read"])
        #expect(request.state == "s")
        #expect(fault(Self.good) == nil)
    }

    @Test("An unknown client or redirect never causes a redirect")
    func strangers() {
        for pairs in [
            Self.good.filter { $0.0 != "redirect_uri" },
            Self.good.map { $0.0 == "redirect_uri" ? ($0.0, "https://voice.example/callback") : $0 },
            Self.good + [("redirect_uri", Self.redirect)], Self.good + [("client_id", "o-1")],
        ] { #expect(fault(pairs) == .stranger) }
    }

    @Test("Other faults are reported to the client by a redirect")
    func faults() {
        #expect(code([], without: "response_type") == "invalid_request")
        #expect(code([("response_type", "token")], without: "response_type") == "unsupported_response_type")
        #expect(code([("response_type", "code")]) == "invalid_request")
        #expect(code([("scope", "events")]) == "invalid_scope")
        #expect(code([("scope", "home")]) == "invalid_scope")
        #expect(code([("code_challenge", Self.challenge)]) == "invalid_request")
        #expect(code([("code_challenge", "a"), ("code_challenge_method", "S256")]) == "invalid_request")
        #expect(code([("code_challenge", Self.challenge), ("code_challenge_method", "S256")]) == nil)
        #expect(code([], isPublic: true) == "invalid_request")
        #expect(code([("code_challenge", Self.challenge), ("code_challenge_method", "S256")], isPublic: true) == nil)
    }

    @Test("An answer keeps the redirect's query and escapes its values")
    func answers() {
        let url = AuthorizationRequest.answer(
            to: Self.redirect,
            state: "a&b=ü",
            issuer: "https://x",
            members: [("code", "c")]
        )
        #expect(url == Self.redirect + "&code=c&state=a%26b%3D%C3%BC&iss=https%3A%2F%2Fx")
    }

    @Test(
        "Redirect URLs use https, the local machine or an app's own scheme",
        arguments: [
            ("https://voice.example/cb", true), ("https://voice.example:8443/cb?x=1", true),
            ("com.example.app:/cb", true),
            ("http://localhost:9000/cb", true), ("http://127.0.0.1/cb", true), ("http://[::1]:9/cb", true),
            ("http://voice.example/cb", false), ("https://voice.example/#x", false), ("https://", false), ("cb", false),
            ("javascript:alert(1)", false), ("https://user@voice.example/", false), ("https://voice.example/ x", false),
            ("http://localhost.example/", false), ("data:text/html,x", false),
        ]
    )
    func redirects(text: String, isValid: Bool) {
        #expect(OAuthClient.isRedirect(text) == isValid)
    }
}
