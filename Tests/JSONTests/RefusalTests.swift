import JSON
import Testing

@Suite("Refused input")
struct RefusalTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var bytes: [UInt8]
        var reason: String

        init(_ name: String, _ text: String, _ reason: String) { self.init(name, bytes: Array(text.utf8), reason) }

        init(_ name: String, bytes: [UInt8], _ reason: String) {
            self.name = name
            self.bytes = bytes
            self.reason = reason
        }

        var testDescription: String { name }
    }

    static func quoted(_ bytes: UInt8...) -> [UInt8] { [0x22] + bytes + [0x22] }

    static let texts: [Case] = [
        Case("nothing", "", "the text ends"),
        Case("space only", " \n\t\r ", "the text ends"),
        Case("a word", "hello", "no JSON value"),
        Case("a word that begins well", "tru", "no JSON value"),
        Case("a word in capitals", "TRUE", "no JSON value"),
        Case("NaN", "NaN", "no JSON value"),
        Case("NaN in an object", #"{"a":NaN}"#, "no JSON value"),
        Case("Infinity", "Infinity", "no JSON value"),
        Case("minus Infinity", "-Infinity", "no digits"),
        Case("single quotes", "{'a':1}", "a name in quotes"),
        Case("a comment", "{} // all", "something follows"),
        Case("a byte order mark", "\u{FEFF}{}", "no JSON value"),
        Case("something behind the value", "{}x", "something follows"),
        Case("two values", "{}{}", "something follows"),
        Case("a NUL behind the value", "{}\0", "something follows"),
        Case("an open object", "{", "a name in quotes"),
        Case("an open array", "[", "the text ends"),
        Case("a comma too many in an object", #"{"a":1,}"#, "a name in quotes"),
        Case("a comma too many in an array", "[1,]", "no JSON value"), Case("a comma too few", "[1 2]", "',' or ']'"),
        Case("a colon too few", #"{"a" 1}"#, "':' is missing"),
        Case("a name without quotes", "{a:1}", "a name in quotes"),
        Case("a number as a name", "{1:1}", "a name in quotes"),
        Case("brackets that cross", "[{]}", "a name in quotes"),
    ]

    static let names: [Case] = [
        Case("a name twice", #"{"a":1,"a":2}"#, "occurs twice"),
        Case("a name twice, once escaped", #"{"a":1,"\u0061":2}"#, "occurs twice"),
        Case("a name twice, deep inside", #"{"b":[{"a":1,"a":1}]}"#, "occurs twice"),
        Case("an empty name twice", #"{"":1,"":1}"#, "occurs twice"),
        Case("a name beyond ASCII twice, once escaped", #"{"é":1,"\u00e9":2}"#, "occurs twice"),
        Case("the first of many names twice", many(300, and: "k0"), "occurs twice"),
        Case("the last of many names twice", many(300, and: "k299"), "occurs twice"),
        Case("the first of thirteen names twice", many(12, and: "k0"), "occurs twice"),
        Case("the last of twelve names twice", many(11, and: "k10"), "occurs twice"),
    ]

    private static func many(_ count: Int, and last: String) -> String {
        let members = (0..<count).map { "\"k\($0)\":1" } + ["\"\(last)\":2"]
        return "{\(members.joined(separator: ","))}"
    }

    static let strings: [Case] = [
        Case("an open string", #""abc"#, "not closed"), Case("an open string with an escape", #""a\n"#, "not closed"),
        Case("a string that ends in a backslash", #""a\"#, "not closed"),
        Case("an unknown escape", #""\x41""#, "no such escape"), Case("\\u0000", #""\u0000""#, "\\u0000"),
        Case("\\u0000 in a name", #"{"a\u0000b":1}"#, "\\u0000"),
        Case("a raw NUL", bytes: quoted(0), "control character"),
        Case("a raw line feed", "\"a\nb\"", "control character"),
        Case("a raw line feed behind an escape", "\"\\ta\nb\"", "control character"),
        Case("a raw tab", "\"a\tb\"", "control character"),
        Case("a raw unit separator", bytes: quoted(0x1F), "control character"),
        Case("too few hexadecimal digits", #""\u12"#, "not closed"),
        Case("letters that are no digits", #""\u12G4""#, "hexadecimal"),
        Case("a lone high surrogate", #""\uD800""#, "surrogate"),
        Case("a lone low surrogate", #""\uDC00""#, "surrogate"),
        Case("two high surrogates", #""\uD800\uD800""#, "surrogate"),
        Case("a high surrogate before a letter", #""\uD800a""#, "surrogate"),
        Case("a high surrogate before another escape", #""\uD800\n""#, "surrogate"),
        Case("surrogates the wrong way round", #""\uDC00\uD800""#, "surrogate"),
        Case("a lone continuation byte", bytes: quoted(0x80), "UTF-8"),
        Case("a cut sequence", bytes: quoted(0xE2, 0x82), "UTF-8"),
        Case("an overlong slash", bytes: quoted(0xC0, 0xAF), "UTF-8"),
        Case("an overlong NUL", bytes: quoted(0xC0, 0x80), "UTF-8"),
        Case("a surrogate in UTF-8", bytes: quoted(0xED, 0xA0, 0x80), "UTF-8"),
        Case("beyond the last scalar", bytes: quoted(0xF4, 0x90, 0x80, 0x80), "UTF-8"),
        Case("a byte that UTF-8 never has", bytes: quoted(0xFF), "UTF-8"),
        Case("bad UTF-8 behind an escape", bytes: quoted(0x5C, 0x6E, 0xFF), "UTF-8"),
        Case("bad UTF-8 in a name", bytes: Array("{".utf8) + quoted(0xFF) + Array(":1}".utf8), "UTF-8"),
    ]

    static let numbers: [Case] = [
        Case("a plus sign", "+1", "no JSON value"),
        Case("a leading zero", "01", "begins with 0"),
        Case("a negative leading zero", "-01", "begins with 0"),
        Case("a minus alone", "-", "no digits"),
        Case("a dot first", ".5", "no JSON value"),
        Case("a dot last", "1.", "digits are missing"),
        Case("an exponent without digits", "1e", "exponent"),
        Case("an exponent with a sign alone", "1e+", "exponent"),
        Case("hexadecimal", "0x10", "something follows"),
        Case("1e400", "1e400", "range of a double"),
        Case("-1e400", "-1e400", "range of a double"),
        Case("1.8e308", "1.8e308", "range of a double"),
        Case("2^53", "9007199254740992", "beyond"),
        Case("-2^53", "-9007199254740992", "beyond"),
        Case("2^63", "9223372036854775808", "beyond"),
        Case("a thousand digits", String(repeating: "9", count: 1000), "beyond"),
    ]

    static let depths: [Case] = [
        Case("17 arrays", nested(17), "nested deeper"), Case("200 arrays", nested(200), "nested deeper"),
        Case("100,000 open arrays", String(repeating: "[", count: 100_000), "nested deeper"),
        Case("17 objects", objects(17), "nested deeper"), Case("200 objects", objects(200), "nested deeper"),
    ]

    static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    static func objects(_ depth: Int) -> String {
        String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    }

    @Test("Invalid input is refused with the reason", arguments: texts + names + strings + numbers + depths)
    func refuses(
        _ row: Case
    ) {
        do throws(JSONError) {
            let value = try JSONValue.parse(row.bytes)
            Issue.record("taken as \(value)")
        } catch {
            #expect(error.reason.contains(row.reason), "\(error.description)")
            #expect(error.offset <= row.bytes.count)
        }
    }

    @Test("Sixteen levels of nesting are accepted", arguments: [nested(16), objects(16)])
    func sixteenLevels(_ text: String) throws {
        _ = try JSONValue.parse(Array(text.utf8))
    }
}
