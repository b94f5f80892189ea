import Crypto
import Sodium

/// A secret with which a receiver verifies that events come from this service (Standard Webhooks 1.0).
package struct WebhookSecret: Sendable {
    private let key: SymmetricKey

    /// Makes a secret from its bytes.
    package init(_ bytes: [UInt8]) { key = SymmetricKey(data: bytes) }

    /// Returns the signature of a message, for the header `webhook-signature`.
    package func signature(id: String, seconds: Int64, body: [UInt8]) -> String {
        var code = HMAC<SHA256>(key: key)
        code.update(data: Array("\(id).\(seconds).".utf8))
        code.update(data: body)
        return "v1," + Sodium.base64(Array(code.finalize()))
    }

    /// Returns a body's SHA-256, which `Crypto` computes faster than libsodium.
    package static func digest(of body: [UInt8]) -> [UInt8] { Array(SHA256.hash(data: body)) }
}
