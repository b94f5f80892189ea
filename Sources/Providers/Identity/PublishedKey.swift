import Crypto
import CryptoExtras
import JSON

/// A public key for signatures, as published by an issuer (RFC 7517).
struct PublishedKey: Sendable {
    /// The key's id, or nil if the issuer publishes the key without an id.
    let id: String?
    private let type: String
    private let curve: String?
    private let algorithm: String?
    private let members: JSONObject

    /// The minimum length of an RSA key that is still secure, in bytes.
    private static let modulusMin = 256
    private static let curves = ["ES256": "P-256", "ES384": "P-384", "ES512": "P-521"]

    /// Parses a key for verifying signatures; returns nil for any other key, and for an insecure key.
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

    /// Returns whether the key's type fits an algorithm, and the key isn't reserved for another algorithm.
    func fits(_ name: String) -> Bool {
        guard algorithm == nil || algorithm == name else { return false }
        if let curve = Self.curves[name] { return type == "EC" && self.curve == curve }
        return type == "RSA"
    }

    /// Returns whether a token was signed with this key (RFC 7518, section 3).
    func signed(_ token: IDToken) -> Bool { fits(token.algorithm) && (try? isValid(token)) == true }

    private func isValid(_ token: IDToken) throws -> Bool {
        let (data, signature) = (token.signed, token.signature)
        switch token.algorithm {
        case "ES256":
            return try P256.Signing.PublicKey(rawRepresentation: point(of: 32))
                .isValidSignature(.init(rawRepresentation: signature), for: data)
        case "ES384":
            return try P384.Signing.PublicKey(rawRepresentation: point(of: 48))
                .isValidSignature(.init(rawRepresentation: signature), for: data)
        case "ES512":
            return try P521.Signing.PublicKey(rawRepresentation: point(of: 66))
                .isValidSignature(.init(rawRepresentation: signature), for: data)
        default: return try isValid(signature, for: data, algorithm: token.algorithm)
        }
    }

    private func isValid(_ bytes: [UInt8], for data: [UInt8], algorithm: String) throws -> Bool {
        let key = try _RSA.Signing.PublicKey(n: number("n"), e: number("e"))
        let signature = _RSA.Signing.RSASignature(rawRepresentation: bytes)
        let padding: _RSA.Signing.Padding = algorithm.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
        return switch algorithm.suffix(3) {
        case "256": key.isValidSignature(signature, for: SHA256.hash(data: data), padding: padding)
        case "384": key.isValidSignature(signature, for: SHA384.hash(data: data), padding: padding)
        default: key.isValidSignature(signature, for: SHA512.hash(data: data), padding: padding)
        }
    }

    /// Returns the key's point on an elliptic curve, with `size` bytes for each coordinate.
    private func point(of size: Int) -> [UInt8] {
        ["x", "y"].flatMap { name in
            let bytes = number(name)
            return Array(repeating: 0, count: max(0, size - bytes.count)) + bytes
        }
    }

    /// Returns a number's bytes, or an empty array if the text isn't base64url.
    ///
    /// A key that contains an empty number verifies no signature.
    private func number(_ name: String) -> [UInt8] {
        members[name]?.stringValue.flatMap { IDToken.bytes($0[...]) } ?? []
    }
}
