import Crypto
import Domain
import Foundation

/// A signer of OAuth 1.0a requests with HMAC-SHA1 (RFC 5849 section 3.4).
struct OAuth1 {
    let consumerKey: String
    let consumerSecret: String
    let token: String
    let tokenSecret: String

    /// Returns the value of the `Authorization` header for a request without a body.
    func authorization(method: String, url: String, query: [(String, String)], nonce: String, seconds: Int64) -> String
    {
        var fields = [
            ("oauth_consumer_key", consumerKey), ("oauth_nonce", nonce), ("oauth_signature_method", "HMAC-SHA1"),
            ("oauth_timestamp", String(seconds)), ("oauth_token", token), ("oauth_version", "1.0"),
        ]
        let signed = (fields + query)
            .map { (WebQuery.encode($0.0), WebQuery.encode($0.1)) }
            .sorted { $0 < $1 }
            .map { "\($0.0)=\($0.1)" }
            .joined(separator: "&")
        let base = [method, url, signed].map { WebQuery.encode($0) }.joined(separator: "&")
        let key = [consumerSecret, tokenSecret].map { WebQuery.encode($0) }.joined(separator: "&")
        // The protocol requires SHA-1, which is still secure in an HMAC.
        let secret = SymmetricKey(data: Data(key.utf8))
        let code = HMAC<Insecure.SHA1>.authenticationCode(for: Data(base.utf8), using: secret)
        fields.append(("oauth_signature", Data(code).base64EncodedString()))
        return "OAuth " + fields.map { "\($0.0)=\"\(WebQuery.encode($0.1))\"" }.joined(separator: ", ")
    }
}
