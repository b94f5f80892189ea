import Crypto
import Sodium

/// A secret with which a receiver verifies that events come from this service (Standard Webhooks 1.0).
package struct WebhookSecret: Sendable {
    private let key: SymmetricKey

    /// Makes a secret from its bytes.
    package init(_ bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// Returns the signature of a message, for the header `webhook-signature`.
    package func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Array("\(id).\(seconds).".utf8) + body, using: key)
        return "v1," + Sodium.base64(Array(code))
    }
}
