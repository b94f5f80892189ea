import Testing

@testable import Providers

@Suite("An issuer's keys")
struct IssuerKeysTests {
    @Test(
        "Keys may be on this machine only if the issuer is",
        arguments: [
            ("https://keys.example.org/k", "https://id.example.org", true),
            ("http://127.0.0.1:9/k", "https://id.example.org", false),
            ("http://localhost/k", "https://id.example.org", false),
            ("http://127.0.0.1:9/k", "http://127.0.0.1:8", true),
            ("https://keys.example.org/k", "http://localhost", true),
            ("http://keys.example.org/k", "http://localhost", false),
        ]
    )
    func places(_ url: String, _ issuer: String, _ isRight: Bool) {
        #expect(IssuerKeys.mayHaveKeys(at: url, issuer: issuer) == isRight)
    }
}
