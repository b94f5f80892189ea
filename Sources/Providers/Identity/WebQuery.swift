/// The names and values of an address's query or a form.
struct WebQuery {
    var items: [(String, String)]

    init(_ items: [(String, String)]) { self.items = items }

    /// The items, percent-encoded (RFC 3986: all but letters, digits and `-._~`) and joined by `=`
    /// and `&`.
    var encoded: String {
        items.map { "\(Self.encode($0.0))=\(Self.encode($0.1))" }.joined(separator: "&")
    }

    /// Encodes a text as a single name or value, whatever it contains.
    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var output = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
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

extension WebClient.Request {
    /// Makes a GET with a query.
    static func get(_ url: String, _ query: [(String, String)]) -> WebClient.Request {
        WebClient.Request(url: "\(url)?\(WebQuery(query).encoded)")
    }

    /// Makes a POST with a form.
    static func post(_ url: String, form: [(String, String)]) -> WebClient.Request {
        WebClient.Request(
            url: url,
            body: (
                type: "application/x-www-form-urlencoded", bytes: Array(WebQuery(form).encoded.utf8)
            )
        )
    }
}
