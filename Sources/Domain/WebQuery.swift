/// The encoding of URL queries and forms.
package enum WebQuery {
    /// Returns the joined pairs, with all characters except letters, digits and `-._~` percent-encoded (RFC 3986).
    package static func encode(_ items: [(String, String)]) -> String {
        items.map { "\(encode($0.0))=\(encode($0.1))" }.joined(separator: "&")
    }

    /// Encodes any text as a single name or value.
    package static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var output = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"),
                _ where byte.isLetterOrDigit:
                output.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                output += "%"
                output.append(digits[Int(byte >> 4)])
                output.append(digits[Int(byte & 15)])
            }
        }
        return output
    }
}
