import Domain

/// The credentials of an HTTP request.
enum RequestCredentials: Equatable {
    /// A session's token or an API key, which becomes the envelope's member `token`.
    case bearer(String)
    /// An app's id and its secret, for methods that need no token.
    case basic(app: String, secret: String)

    /// The maximum length of a token or secret, in bytes.
    private static let secretMax = 256

    /// Parses the header `Authorization`; returns nil if there is no header.
    ///
    /// - Throws: `Rejection` if the scheme is neither Bearer nor Basic, or if the value is malformed.
    static func read(_ header: String?) throws(Rejection) -> RequestCredentials? {
        guard let header else { return nil }
        let parts = header.split(separator: " ", maxSplits: 1).map(String.init)
        guard parts.count == 2 else { throw malformed }
        let value = parts[1].filter { $0 != " " }
        switch parts[0].lowercased() {
        case "bearer":
            guard isToken(value) else { throw Rejection(.invalidToken, "The token is not valid here.", field: "token") }
            return .bearer(value)
        case "basic":
            guard let bytes = base64(value), let text = String(validating: bytes, as: UTF8.self),
                let colon = text.firstIndex(of: ":")
            else { throw malformed }
            let secret = String(text[text.index(after: colon)...])
            guard secret.utf8.count <= secretMax else { throw malformed }
            return .basic(app: String(text[..<colon]), secret: secret)
        default: throw malformed
        }
    }

    private static var malformed: Rejection {
        let form = "Bearer with a token, or Basic with the app's id and secret"
        return Rejection(.invalidCredentials, "The header Authorization must be \(form).")
    }

    /// Returns whether a string can be a token.
    ///
    /// A token may contain only visible ASCII characters that the envelope's JSON can contain without escapes.
    static func isToken(_ text: String) -> Bool {
        (1...secretMax).contains(text.utf8.count)
            && text.utf8.allSatisfy {
                $0.isVisible && $0 != UInt8(ascii: "\"") && $0 != UInt8(ascii: "\\")
            }
    }

    /// Decodes base64 with padding; returns nil if it is malformed.
    static func base64(_ text: String) -> [UInt8]? {
        guard text.utf8.count.isMultiple(of: 4) else { return nil }
        let digits = text.utf8.prefix { $0 != UInt8(ascii: "=") }
        guard text.utf8.count - digits.count <= 2, text.utf8.dropFirst(digits.count).allSatisfy({ $0 == 0x3D }) else {
            return nil
        }
        var (bytes, bits, held) = ([UInt8](), UInt32(0), 0)
        for digit in digits {
            guard let value = alphabet.firstIndex(of: digit) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 6
            guard held >= 8 else { continue }
            held -= 8
            bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(held)))
        }
        return bytes
    }

    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
}
