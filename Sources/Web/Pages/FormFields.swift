import Hummingbird

/// A parser of posted forms.
enum FormFields {
    /// Returns the form's fields, or nil if the body is too long or isn't a form.
    ///
    /// If a name is repeated, its first value counts.
    static func read(_ request: inout Request, upTo max: Int) async -> [String: String]? {
        await readPairs(&request, upTo: max).map(first)
    }

    /// Returns the form's names and values, or nil if the body is too long or isn't a form.
    static func readPairs(_ request: inout Request, upTo max: Int) async -> [(name: String, value: String)]? {
        let type = request.headers[.contentType] ?? ""
        guard type.lowercased().hasPrefix("application/x-www-form-urlencoded"),
            let body = try? await request.collectBody(upTo: max)
        else { return nil }
        return pairs(String(buffer: body))
    }

    /// Parses `name=value&…` as written by browsers, and keeps only the first value of each name.
    static func parse(_ text: String) -> [String: String] { first(pairs(text)) }

    private static func first(_ pairs: [(name: String, value: String)]) -> [String: String] {
        Dictionary(pairs.map { ($0.name, $0.value) }) { first, _ in first }
    }

    /// Parses the first 32 pairs of `name=value&…` as written by browsers.
    static func pairs(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").prefix(32).compactMap { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = decode(parts[0]), let value = decode(parts.count > 1 ? parts[1] : "") else { return nil }
            return (name, value)
        }
    }

    /// Decodes a form's name or value, or returns nil if it is malformed.
    static func decode(_ text: String) -> String? { decode(text[...]) }

    /// Decodes a path's part, in which `+` is literal, or returns nil if it's malformed.
    static func decodePart(_ text: Substring) -> String? { decode(text, plus: "+") }

    private static func decode(_ text: Substring, plus: Unicode.Scalar = " ") -> String? {
        var bytes: [UInt8] = []
        var rest = text.utf8[...]
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "+"): bytes.append(UInt8(ascii: plus))
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else {
                    return nil
                }
                bytes.append(high << 4 | low)
            default: bytes.append(byte)
            }
        }
        return String(validating: bytes, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}
