import Crypto
import CryptoExtras
import Foundation
import JSON

/// A test's issuer of ID tokens, which signs tokens and publishes its keys.
struct Issuer: Sendable {
    /// A pair of a private key and a public key.
    enum Key: Sendable {
        case elliptic(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    var keys: [String: Key]

    static func elliptic() -> Key { .elliptic(P256.Signing.PrivateKey()) }

    static func rsa(bits: Int = 2048) throws -> Key {
        .rsa(try _RSA.Signing.PrivateKey(unsafeKeySize: .init(bitCount: bits)))
    }

    /// Returns the issuer's answer to an HTTP request, with `url` as the issuer's own address.
    func answer(_ ask: ReceivedRequest, at url: String) -> Say {
        switch ask.path {
        case "/.well-known/openid-configuration": .json(["issuer": .string(url), "jwks_uri": .string(url + "/keys")])
        case "/keys": .json(["keys": .array(keys.sorted { $0.key < $1.key }.compactMap(Self.published))])
        default: Say(status: 404)
        }
    }

    private static func published(_ id: String, _ key: Key) -> JSONValue? {
        switch key {
        case .elliptic(let key):
            let point = Array(key.publicKey.rawRepresentation)
            return [
                "kty": "EC", "crv": "P-256", "use": "sig", "kid": .string(id),
                "x": .string(base64URL(point.prefix(32))), "y": .string(base64URL(point.suffix(32))),
            ]
        case .rsa(let key):
            guard let parts = try? key.publicKey.getKeyPrimitives() else { return nil }
            return [
                "kty": "RSA", "alg": "RS256", "kid": .string(id), "n": .string(base64URL(parts.modulus)),
                "e": .string(base64URL(parts.publicExponent)),
            ]
        }
    }

    /// Returns a token whose claims are signed with the key `id`.
    ///
    /// The token's header can name a different algorithm or key.
    func token(
        _ claims: JSONObject,
        key id: String,
        algorithm: String? = nil,
        named name: String? = nil
    ) throws -> String {
        guard let key = keys[id] else { return "" }
        let header: JSONObject
        switch key {
        case .elliptic:
            header = ["alg": .string(algorithm ?? "ES256"), "kid": .string(name ?? id)]
        case .rsa: header = ["alg": .string(algorithm ?? "RS256"), "kid": .string(name ?? id)]
        }
        let text = base64URL(header.encoded()) + "." + base64URL(claims.encoded())
        switch key {
        case .elliptic(let key):
            let signature = try key.signature(for: Data(text.utf8))
            return text + "." + base64URL(signature.rawRepresentation)
        case .rsa(let key):
            let signature = try key.signature(for: Data(text.utf8), padding: .insecurePKCS1v1_5)
            return text + "." + base64URL(signature.rawRepresentation)
        }
    }
}

/// Encodes bytes in base64url without padding, as JSON Web Tokens require.
func base64URL(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
        .replacing("+", with: "-")
        .replacing("/", with: "_")
        .replacing("=", with: "")
}
