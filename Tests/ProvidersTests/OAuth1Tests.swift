import Testing

@testable import Providers

@Suite("OAuth 1.0a")
struct OAuth1Tests {
    @Test("A request is signed as in the example of Twitter's documentation")
    func example() {
        let signer = OAuth1(
            consumerKey: "xvz1evFS4wEEPTGEFPHBog",
            consumerSecret: "kAcSOqF21Fu85e7zjz7ZN2U4ZRhfV3WpwPAoE3Z7kBw",
            token: "370773112-GmHxMAgYyLbNEtIKZeRNFsMKPR9EyMZeS9weJAEb",
            tokenSecret: "LswwdoUaIvS8ltyTt5jkRh4J50vUPVVHtR2YPi5kE"
        )

        let header = signer.authorization(
            method: "POST",
            url: "https://api.twitter.com/1.1/statuses/update.json",
            query: [("include_entities", "true"), ("status", "Hello Ladies + Gentlemen, a signed OAuth request!")],
            nonce: "kYjzVBB8Y0ZFabxSWbWovY3uYSQ2pTgmZeNu2VS4cg",
            seconds: 1_318_622_958
        )

        #expect(header.contains("oauth_signature=\"hCtSmYh%2BiHYCEqBWrE7C7hYmtUk%3D\""))
        #expect(header.hasPrefix("OAuth oauth_consumer_key=\"xvz1evFS4wEEPTGEFPHBog\", "))
        #expect(!header.contains("LswwdoUa"))
    }
}
