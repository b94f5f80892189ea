import Crypto
import CryptoExtras
import Foundation
package import Domain
import JSON
import Sodium

/// Makes tokens (JWT, RFC 7519) for push services, signed with a private key.
enum SignedToken {
    /// Signs claims with ES256.
    static func make(_ claims: JSONObject, keyID: String? = nil, key: P256.Signing.PrivateKey) throws -> String {
        let header: JSONObject = ["typ": "JWT", "alg": "ES256", "kid": keyID.map { .string($0) }]
        return try make(header, claims) { signed in try key.signature(for: signed).rawRepresentation }
    }

    /// Signs claims with RS256.
    static func make(_ claims: JSONObject, key: _RSA.Signing.PrivateKey) throws -> String {
        try make(["typ": "JWT", "alg": "RS256"], claims) { signed in
            try key.signature(for: SHA256.hash(data: signed), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }

    private static func make(
        _ header: JSONObject,
        _ claims: JSONObject,
        signedBy sign: ([UInt8]) throws -> Data
    ) rethrows -> String {
        let signed = [header, claims].map { Sodium.base64URL($0.encoded()) }.joined(separator: ".")
        return "\(signed).\(Sodium.base64URL(Array(try sign(Array(signed.utf8)))))"
    }
}

extension PushSettings {
    /// Checks that the private keys can be read.
    ///
    /// - Throws: `Rejection` with the field at fault.
    package func checkKeys() throws(Rejection) {
        if let fcm, (try? _RSA.Signing.PrivateKey(pemRepresentation: fcm.key)) == nil {
            let field = "push.fcm.serviceAccount.private_key"
            throw .invalid(field, "The service account's private_key must be an RSA key.")
        }
        if let apns, (try? P256.Signing.PrivateKey(pemRepresentation: apns.key)) == nil {
            throw .invalid("push.apns.key", "push.apns.key must be the text of Apple's file AuthKey_….p8.")
        }
    }
}
