import Foundation
import JSON
import JWTKit

/// A public key for signatures as an issuer publishes it (RFC 7517).
struct PublishedKey: Sendable {
    /// Its name.
    let id: String?
    private let type: String
    private let curve: String?
    private let algorithm: String?
    private let members: JSONObject

    /// RSA keys of fewer bytes than this are no longer safe.
    private static let modulusMin = 256
    private static let curves = ["ES256": "P-256", "ES384": "P-384", "ES512": "P-521"]

    /// Takes a key that can verify signatures; nil for any other, and for one that isn't safe.
    init?(_ object: JSONObject) {
        guard let type = object["kty"]?.stringValue, ["RSA", "EC"].contains(type),
            object["use"] == nil || object["use"]?.stringValue == "sig"
        else { return nil }
        if type == "RSA" {
            guard let modulus = object["n"]?.stringValue,
                let bytes = IDToken.bytes(modulus[...]), bytes.count >= Self.modulusMin
            else { return nil }
        }
        id = object["kid"]?.stringValue
        self.type = type
        curve = object["crv"]?.stringValue
        algorithm = object["alg"]?.stringValue
        members = JSONObject(
            ["kty", "n", "e", "crv", "x", "y"].map { ($0, object[$0]) }
        )
    }

    /// Tells whether the key is of the kind that an algorithm takes, and not for another one.
    func fits(_ name: String) -> Bool {
        guard algorithm == nil || algorithm == name else { return false }
        if let curve = Self.curves[name] { return type == "EC" && self.curve == curve }
        return type == "RSA"
    }

    /// Tells whether a token was signed with this key.
    ///
    /// A collection of its own for each token: a shared one takes another key when it doesn't know
    /// the token's, and stays with the algorithm that the first token names.
    func signed(_ token: IDToken) async -> Bool {
        guard fits(token.algorithm) else { return false }
        var key = members
        key["kid"] = .string(token.keyID ?? "only")
        key["alg"] = .string(token.algorithm)
        do {
            let jwk = try JSONDecoder().decode(JWK.self, from: Data(key.encoded()))
            let keys = try await JWTKeyCollection().add(jwk: jwk)
            _ = try await keys.verify(token.text, as: AnyClaims.self)
            return true
        } catch {
            return false
        }
    }
}

/// The claims are read and checked by `IDToken`; this lets any pass.
private struct AnyClaims: JWTPayload {
    func verify(using algorithm: some JWTAlgorithm) async throws {}
}
