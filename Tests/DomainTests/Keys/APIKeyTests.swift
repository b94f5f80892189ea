import Domain
import Testing

@Suite("API keys: scopes and expiry")
struct APIKeyTests {
    private func key(_ scopes: String...) -> APIKey {
        APIKey(
            id: KeyID(trusted: "k-1"),
            app: AppID(trusted: "demo"),
            name: "billing",
            terminal: TerminalID(trusted: String(repeating: "a", count: 32)),
            scopes: scopes.compactMap { KeyScope($0) },
            createdAt: Instant(milliseconds: 1000),
            expiresAt: Instant(milliseconds: 5000)
        )
    }

    @Test(
        "A scope is a service, with or without :read",
        arguments: [
            ("device", true), ("device:read", true), ("events:read", true), ("session", false), ("app", false),
            ("device:write", false), ("device:read:read", false), ("device:", false), (":read", false), ("", false),
        ]
    )
    func scopes(text: String, isScope: Bool) {
        #expect((KeyScope(text)?.text == text) == isScope)
    }

    @Test(
        "A method requires its service's scope, and a changing method requires more than :read",
        arguments: [
            ("device", "list", true, true), ("device", "control", false, false), ("home", "list", true, true),
            ("home", "rename", false, true), ("share", "list", true, false), ("account", "whoami", true, true),
            ("account", "updateProfile", false, true), ("account", "changePassword", false, false),
            ("account", "logout", false, false), ("session", "list", true, false), ("app", "info", true, false),
            ("nonsense", "list", true, false),
        ]
    )
    func methods(service: String, method: String, isReading: Bool, isAllowed: Bool) {
        let refusal = key("device:read", "home", "account").refusal(of: service, method, isReading: isReading)
        #expect((refusal == nil) == isAllowed)
        #expect(refusal.map { $0.code == .forbidden } ?? true)
    }

    @Test("Only events and notification/send act for the app and not for a user")
    func users() {
        #expect(APIKey.actsForUser("device", "list") && APIKey.actsForUser("notification", "list"))
        #expect(!APIKey.actsForUser("events", "read") && !APIKey.actsForUser("notification", "send"))
    }

    @Test("A key is refused once it has ended, with the reason")
    func end() {
        var key = key("device")
        #expect(key.refusal(at: Instant(milliseconds: 4999)) == nil)
        #expect(key.refusal(at: Instant(milliseconds: 5000))?.reason == "expired")
        key.endedAt = Instant(milliseconds: 2000)
        #expect(key.refusal(at: Instant(milliseconds: 3000))?.reason == "operator")
    }

    @Test(
        "A name has 1 to 32 letters, digits, hyphens and underscores",
        arguments: [
            ("a", true), ("Billing_2-x", true), ("", false), ("a b", false), (String(repeating: "a", count: 33), false),
        ]
    )
    func names(name: String, isName: Bool) { #expect(APIKey.isName(name) == isName) }
}
