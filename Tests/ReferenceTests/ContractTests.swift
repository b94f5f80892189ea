import Domain
import JSON
import Testing

@testable import Reference

@Suite struct ContractTests {
    private let contract = Contract.builtIn

    @Test func theContractIsBuiltInWhole() {
        #expect(contract.methods.count > 60)
        #expect(contract.services.contains("device"))
        for method in contract.methods {
            #expect(contract.schemas[method.place + ".params"] != nil, "\(method.name)")
            #expect(contract.schemas[method.place + ".result"] != nil, "\(method.name)")
            #expect(contract.examples[method.place + ".params"]?.isEmpty == false, "\(method.name)")
            #expect(!method.errors.isEmpty, "\(method.name)")
        }
    }

    @Test func everyErrorOfAMethodIsKnown() {
        for method in contract.methods {
            for code in method.errors { #expect(ErrorCode(rawValue: code) != nil, "\(code)") }
        }
    }

    @Test func theMessageOfEveryChannelIsDescribed() {
        for channel in contract.channels {
            guard let payload = channel.payload else { continue }
            #expect(contract.entry(payload) != nil, "\(channel.name)")
        }
    }

    private func schema(_ json: String) throws -> JSONObject {
        try #require(try JSONValue.parse(Array(json.utf8)).objectValue)
    }

    @Test(
        "Types are said in words",
        arguments: [
            (#"{"type":"string","minLength":1,"maxLength":64}"#, "text, 1 to 64 characters"),
            (
                #"{"type":"string","minLength":2,"maxLength":2,"pattern":"^[a-z]+$"}"#,
                "text, 2 characters, of the form `^[a-z]+$`"
            ),
            (#"{"type":"integer","minimum":1,"maximum":1000}"#, "integer, 1 to 1000"),
            (
                #"{"type":"integer","minimum":-9007199254740991,"maximum":9007199254740991}"#,
                "integer"
            ),
            (#"{"enum":["a",1]}"#, "`a` or `1`"), (#"{"const":true}"#, "`true`"),
            (#"{"type":"boolean"}"#, "true or false"),
            (
                #"{"type":"array","items":{"type":"number"},"minItems":1}"#,
                "list of number, at least 1 entry"
            ),
            (#"{"type":["string","null"]}"#, "text or null"),
            (#"{"$ref":"common#cid"}"#, "integer, from 1"),
            (#"{"$ref":"common#actor"}"#, "[actor](types.md#type-actor)"),
        ]
    )
    func types(json: String, expected: String) throws {
        #expect(SchemaWords(contract).type(try schema(json)) == expected)
    }

    @Test(
        "Rules between members are said in words",
        arguments: [
            (
                #"{"anyOf":[{"required":["a"]},{"required":["b"]}]}"#,
                "At least one of: `a` given; `b` given."
            ),
            (
                #"{"if":{"properties":{"s":{"enum":["x","y"]}},"required":["s"]},"then":{"required":["c"]}}"#,
                "Where `s` is `x` or `y`: `c` given."
            ),
            (
                #"{"oneOf":[{"required":["a"],"not":{"required":["b"]}},{"required":["b"]}]}"#,
                "Exactly one of: `a` given, without `b`; `b` given."
            ),
        ]
    )
    func rules(json: String, expected: String) throws {
        #expect(SchemaWords(contract).rules(try schema(json)) == [expected])
    }
}
