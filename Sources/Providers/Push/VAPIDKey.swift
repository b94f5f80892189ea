import Crypto
import Foundation
import JSON
import Sodium

/// The key that identifies the sender of an app's pushes to Web Push services (RFC 8292).
package struct VAPIDKey: Sendable {
    private let key: P256.Signing.PrivateKey

    /// The validity of a token in seconds (RFC 8292 allows at most a day).
    private static let validSeconds: Int64 = 43_200

    /// Makes the key from 32 bytes, or returns nil if the bytes are not a valid private key for P-256.
    package init?(_ bytes: [UInt8]) {
        guard let key = try? P256.Signing.PrivateKey(rawRepresentation: bytes) else { return nil }
        self.key = key
    }

    /// The public key as base64url, which a browser needs to subscribe (`applicationServerKey`).
    package var publicKey: String { Sodium.base64URL(Array(key.publicKey.x963Representation)) }

    /// Returns the value of the header `Authorization` for a push service at an origin.
    func authorization(for origin: String, subject: String?, at seconds: Int64) throws -> String {
        let claims: JSONObject = [
            "aud": .string(origin), "exp": .integer(seconds + Self.validSeconds), "sub": subject.map { .string($0) },
        ]
        return "vapid t=\(try SignedToken.make(claims, key: key)), k=\(publicKey)"
    }
}
