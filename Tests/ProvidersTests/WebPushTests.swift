import Crypto
import Foundation
import JSON
import Testing

@testable import Providers

@Suite("Web Push")
struct WebPushTests {
    private static func bytes(_ text: String) throws -> [UInt8] { try #require(IDToken.bytes(text[...])) }

    @Test("The encryption matches the example in RFC 8291") func encryption() throws {
        let keys = try #require(
            WebPushEncryption(
                publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
                auth: "BTBZMqHH6r4Tts7J_aSIgg"
            )
        )
        let sender = try P256.KeyAgreement.PrivateKey(
            rawRepresentation: Self.bytes("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw")
        )
        let text = "When I grow up, I want to be a watermelon"

        let body = try keys.encrypt(Array(text.utf8), key: sender, salt: Self.bytes("DGv6ra1nlYgDCS1FRnbzlw"))

        let expected =
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
            + "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
            + "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
        #expect(try body == Self.bytes(expected))
    }

    @Test("Two encryptions of the same text have nothing in common") func fresh() throws {
        let keys = try #require(
            WebPushEncryption(
                publicKey: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4=",
                auth: "BTBZMqHH6r4Tts7J_aSIgg=="
            )
        )
        let bodies = try (0..<2).map { _ in try keys.encrypt([1, 2, 3]) }
        #expect(bodies[0].prefix(16) != bodies[1].prefix(16))
        #expect(bodies[0][21..<86] != bodies[1][21..<86])
    }

    @Test(
        "Malformed subscription keys are refused",
        arguments: [("", "BTBZMqHH6r4Tts7J_aSIgg"), ("AAAA", "AAAA")]
    )
    func malformed(publicKey: String, auth: String) {
        #expect(WebPushEncryption(publicKey: publicKey, auth: auth) == nil)
    }

    @Test("The token has the claims of the example in RFC 8292, and the key verifies it") func token() throws {
        let key = try #require(VAPIDKey(Array(repeating: 7, count: 32)))

        let value = try key.authorization(
            for: "https://push.example.net",
            subject: "mailto:push@example.com",
            at: 1_453_523_768 - 43_200
        )

        let claims =
            "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29t"
            + "In0"
        let signed = "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9.\(claims)"
        #expect(value.hasPrefix("vapid t=\(signed)."))
        #expect(value.hasSuffix(", k=\(key.publicKey)"))
        let token = value.dropFirst("vapid t=".count).prefix { $0 != "," }
        let signature = try Self.bytes(String(token.dropFirst(signed.count + 1)))
        let verifier = try P256.Signing.PublicKey(x963Representation: Self.bytes(key.publicKey))
        #expect(try verifier.isValidSignature(.init(rawRepresentation: signature), for: Array(signed.utf8)))
    }

    @Test("The same rules accept the signature of the example in RFC 8292") func example() throws {
        let signed =
            "eyJ0eXAiOiJKV1QiLCJhbGciOiJFUzI1NiJ9."
            + "eyJhdWQiOiJodHRwczovL3B1c2guZXhhbXBsZS5uZXQiLCJleHAiOjE0NTM1MjM3NjgsInN1YiI6Im1haWx0bzpwdXNoQGV4YW1wbGUuY29t"
            + "In0"
        let signature = "i3CYb7t4xfxCDquptFOepC9GAu_HLGkMlMuCGSK2rpiUfnK9ojFwDXb1JrErtmysazNjjvW2L9OkSSHzvoD1oA"
        let point = "BA1Hxzyi1RUM1b5wjxsn7nGxAszw2u61m164i3MrAIxHF6YK5h4SDYic-dRuU_RCPCfA5aq9ojSwk5Y2EmClBPs"

        let key = try P256.Signing.PublicKey(x963Representation: Self.bytes(point))
        #expect(try key.isValidSignature(.init(rawRepresentation: Self.bytes(signature)), for: Array(signed.utf8)))
    }

    @Test("Bytes that aren't a private key are refused") func noKey() {
        #expect(VAPIDKey(Array(repeating: 0, count: 32)) == nil)
        #expect(VAPIDKey(Array(repeating: 255, count: 32)) == nil)
    }
}
