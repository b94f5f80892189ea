import JSON
import Testing

@Suite("Accepted input")
struct ParserTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var text: String
        var value: JSONValue

        init(_ text: String, _ value: JSONValue) {
            self.text = text
            self.value = value
        }

        var testDescription: String { text }
    }

    static let values: [Case] = [
        Case("null", .null), Case("true", true), Case("false", false),
        Case("0", 0), Case("-0", 0), Case("-7", -7),
        Case("9007199254740991", .integer(JSONValue.integerMax)),
        Case("-9007199254740991", .integer(-JSONValue.integerMax)),
        Case("1.0", .double(1)), Case("1e2", .double(100)), Case("1E+2", .double(100)),
        Case("2.5e-1", .double(0.25)), Case("1e-400", .double(0)),
        Case("1.7976931348623157e308", .double(.greatestFiniteMagnitude)),
        Case("1e308", .double(1e308)), Case("0.1", .double(0.1)),
        Case(#""""#, ""), Case(#""a\"\\\/\b\f\n\r\t""#, "a\"\\/\u{8}\u{C}\n\r\t"),
        Case(#""\u00e4\u20AC""#, "ä€"), Case(#""\uD83D\uDE00""#, "😀"), Case(#""😀""#, "😀"),
        Case("[]", []), Case(" [ 1 , [ ] , { } ] ", [1, [], [:]]),
        Case(#"{"a":1,"b":{"a":2}}"#, ["a": 1, "b": ["a": 2]]),
        Case(#"{"":1}"#, ["": 1]),
    ]

    @Test("Input is parsed to its value", arguments: values)
    func reads(_ row: Case) throws {
        #expect(try JSONValue.parse(Array(row.text.utf8)) == row.value)
    }

    @Test("Members keep their order, and a null member counts as absent")
    func members() throws {
        let value = try JSONValue.parse(Array(#"{"z":1,"a":null,"m":2}"#.utf8))
        let object = try #require(value.objectValue)

        #expect(object.members.map(\.key) == ["z", "a", "m"])
        #expect(object["a"] == nil)
        #expect(object["m"] == 2)
        #expect(object["none"] == nil)
    }

    @Test("Integers and doubles with the same value are equal")
    func meaning() {
        #expect(JSONValue.integer(1).means(.double(1)))
        #expect(JSONValue.double(3).intValue == 3)
        #expect(JSONValue.double(3.5).intValue == nil)
        #expect(JSONValue.double(1e300).intValue == nil)
        #expect(!JSONValue.string("1").means(1))
        #expect(!JSONValue.bool(true).means(1))
    }

    @Test("Texts that look alike but have different code points are different", arguments: [0, 20]) func codePoints(
        _ others: Int
    ) throws {
        let composed = "\u{E9}"
        let decomposed = "e\u{301}"
        let more = (0..<others).map { #""n\#($0)":0,"# }.joined()

        let value = try JSONValue.parse(
            Array(#"{\#(more)"\#(composed)":1,"e\u0301":2}"#.utf8)
        )

        let object = try #require(value.objectValue)
        #expect(object[composed] == 1)
        #expect(object[decomposed] == 2)
        #expect(object.members.count == others + 2)
        #expect(JSONValue.string(composed) != .string(decomposed))
        #expect(JSONValue.array([.string(composed)]) != .array([.string(decomposed)]))
        #expect(JSONObject([(composed, 1)]) != JSONObject([(decomposed, 1)]))
        #expect(!JSONValue.string(composed).means(.string(decomposed)))
    }

    @Test("A member is set under the name with exactly its code points")
    func setting() {
        var object = JSONObject([("\u{E9}", 1)])

        object["e\u{301}"] = 2

        #expect(object.members.map(\.value) == [1, 2])
    }

    @Test("A slice is parsed like an array")
    func slices() throws {
        let bytes = Array("xx[1]yy".utf8)
        #expect(try JSONValue.parse(bytes[2..<5]) == [1])
    }

    @Test("Infinity and NaN are written as null")
    func notANumber() {
        #expect(JSONValue.double(.nan).encoded() == Array("null".utf8))
        #expect(JSONValue.double(.infinity).encoded() == Array("null".utf8))
    }

    @Test("Control characters are escaped and read back")
    func controls() throws {
        let text = String(String.UnicodeScalarView((1..<0x20).compactMap { Unicode.Scalar($0) }))
        let bytes = JSONValue.string(text).encoded()
        #expect(bytes.allSatisfy { $0 >= 0x20 })
        #expect(try JSONValue.parse(bytes) == .string(text))
    }
}
