/// A strict parser of one JSON text (RFC 8259), with further limits for messages.
///
/// The parser refuses duplicate names, `\u0000`, lone surrogates and invalid UTF-8. It refuses numbers beyond a
/// double's range, and integers beyond ±(2^53−1). It also refuses nesting deeper than `depthMax`, and anything after
/// the value. It never traps.
struct JSONParser {
    /// The maximum depth of nested arrays and objects.
    static let depthMax = 16

    let bytes: UnsafeBufferPointer<UInt8>
    var index = 0

    init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

    mutating func parseText() throws(JSONError) -> JSONValue {
        skipSpace()
        let value = try parseValue(depth: 1)
        skipSpace()
        guard index == bytes.count else { throw fail("something follows the JSON value") }
        return value
    }

    private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
        guard index < bytes.count else { throw fail("the text ends where a value is expected") }
        switch bytes[index] {
        case UInt8(ascii: "{"): return .object(try parseObject(depth: depth))
        case UInt8(ascii: "["): return .array(try parseArray(depth: depth))
        case UInt8(ascii: "\""): return .string(try parseString())
        case UInt8(ascii: "t"): return try parse("true", as: .bool(true))
        case UInt8(ascii: "f"): return try parse("false", as: .bool(false))
        case UInt8(ascii: "n"): return try parse("null", as: .null)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return try parseNumber()
        default: throw fail("no JSON value begins like this")
        }
    }

    // MARK: Objects and arrays

    private mutating func parseObject(depth: Int) throws(JSONError) -> JSONObject {
        guard depth <= Self.depthMax else { throw fail("nested deeper than \(Self.depthMax)") }
        index += 1
        skipSpace()
        if take(UInt8(ascii: "}")) { return JSONObject(members: []) }
        var members: [JSONObject.Member] = []
        members.reserveCapacity(4)
        var names = NameSet()
        while true {
            guard peek() == UInt8(ascii: "\"") else { throw fail("a name in quotes is expected here") }
            let start = index
            let key = try parseString()
            guard names.insert(key, among: members) else {
                throw JSONError("a name occurs twice in one object", at: start)
            }
            skipSpace()
            guard take(UInt8(ascii: ":")) else { throw fail("':' is missing after a name") }
            skipSpace()
            members.append(.init(key: key, value: try parseValue(depth: depth + 1)))
            skipSpace()
            if take(UInt8(ascii: "}")) { return JSONObject(members: members) }
            guard take(UInt8(ascii: ",")) else { throw fail("',' or '}' is expected here") }
            skipSpace()
        }
    }

    private mutating func parseArray(depth: Int) throws(JSONError) -> [JSONValue] {
        guard depth <= Self.depthMax else { throw fail("nested deeper than \(Self.depthMax)") }
        index += 1
        var elements: [JSONValue] = []
        skipSpace()
        if take(UInt8(ascii: "]")) { return [] }
        while true {
            elements.append(try parseValue(depth: depth + 1))
            skipSpace()
            if take(UInt8(ascii: "]")) { return elements }
            guard take(UInt8(ascii: ",")) else { throw fail("',' or ']' is expected here") }
            skipSpace()
        }
    }

    // MARK: Strings

    private mutating func parseString() throws(JSONError) -> String {
        index += 1
        let start = index
        var isASCII = true
        while index < bytes.count {
            let byte = bytes[index]
            if byte == UInt8(ascii: "\"") {
                let text = UnsafeBufferPointer(rebasing: bytes[start..<index])
                index += 1
                return try isASCII ? String(decoding: text, as: UTF8.self) : validated(text, at: start)
            }
            if byte == UInt8(ascii: "\\") { return try parseEscapedString(from: start) }
            guard byte >= 0x20 else { throw fail("a string contains a control character") }
            if byte >= 0x80 { isASCII = false }
            index += 1
        }
        throw fail("a string is not closed")
    }

    private mutating func parseEscapedString(from start: Int) throws(JSONError) -> String {
        var text = Array(bytes[start..<index])
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "\""):
                return try text.withUnsafeBufferPointer { (buffer) throws(JSONError) in try validated(buffer, at: start)
                }
            case UInt8(ascii: "\\"): try appendEscape(to: &text)
            case 0..<0x20: throw JSONError("a string contains a control character", at: index - 1)
            default: text.append(byte)
            }
        }
        throw fail("a string is not closed")
    }

    private mutating func appendEscape(to text: inout [UInt8]) throws(JSONError) {
        guard index < bytes.count else { throw fail("a string is not closed") }
        let byte = bytes[index]
        index += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(byte)
        case UInt8(ascii: "b"): text.append(0x08)
        case UInt8(ascii: "f"): text.append(0x0C)
        case UInt8(ascii: "n"): text.append(0x0A)
        case UInt8(ascii: "r"): text.append(0x0D)
        case UInt8(ascii: "t"): text.append(0x09)
        case UInt8(ascii: "u"): text.append(contentsOf: String(try parseUnicodeEscape()).utf8)
        default: throw JSONError("no such escape in a string", at: index - 1)
        }
    }

    private mutating func parseUnicodeEscape() throws(JSONError) -> Character {
        let start = index
        let first = try parseHexQuad()
        guard first != 0 else { throw JSONError("a string contains \\u0000", at: start) }
        if let scalar = Unicode.Scalar(first) { return Character(scalar) }
        guard UTF16.isLeadSurrogate(UInt16(truncatingIfNeeded: first)),
            take(UInt8(ascii: "\\")), take(UInt8(ascii: "u"))
        else { throw JSONError("a string contains a lone surrogate", at: start) }
        let second = try parseHexQuad()
        guard UTF16.isTrailSurrogate(UInt16(truncatingIfNeeded: second)),
            let scalar = Unicode.Scalar(0x10000 + ((first & 0x3FF) << 10) + (second & 0x3FF))
        else { throw JSONError("a string contains a lone surrogate", at: start) }
        return Character(scalar)
    }

    private mutating func parseHexQuad() throws(JSONError) -> UInt32 {
        guard bytes.count - index >= 4 else { throw fail("a string is not closed") }
        var value: UInt32 = 0
        for _ in 0..<4 {
            guard let digit = Character(Unicode.Scalar(bytes[index])).hexDigitValue else {
                throw fail("four hexadecimal digits are expected here")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    private func validated(_ text: UnsafeBufferPointer<UInt8>, at offset: Int) throws(JSONError) -> String {
        guard let string = String(validating: text, as: UTF8.self) else {
            throw JSONError("a string is not valid UTF-8", at: offset)
        }
        return string
    }

    // MARK: Small things

    private mutating func parse(_ word: StaticString, as value: JSONValue) throws(JSONError) -> JSONValue {
        let count = word.utf8CodeUnitCount
        guard bytes.count - index >= count else { throw fail("no JSON value begins like this") }
        for offset in 0..<count where bytes[index + offset] != word.utf8Start[offset] {
            throw fail("no JSON value begins like this")
        }
        index += count
        return value
    }

    private func peek() -> UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func skipSpace() {
        while index < bytes.count {
            switch bytes[index] {
            case 0x20, 0x0A, 0x0D, 0x09: index += 1
            default: return
            }
        }
    }

    func fail(_ reason: String) -> JSONError { JSONError(reason, at: index) }
}
