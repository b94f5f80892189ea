import Domain
import JSON
import Testing

@testable import Administration

@Suite("Paths of operations")
struct OperationTests {
    private static let counts = Operation("counts", "GET", "devices/counts", role: .viewer) { _ in
        [:]
    }
    private static let one = Operation("one", "GET", "devices/{did}", role: .viewer) { _ in [:] }

    @Test("A path yields the values of its parameters")
    func parameters() {
        #expect(Self.one.match(["devices", "d-1"]) == ["did": "d-1"])
        #expect(Self.one.match(["devices"]) == nil)
        #expect(Self.one.match(["devices", "d-1", "x"]) == nil)
        #expect(Self.one.match(["users", "d-1"]) == nil)
    }

    @Test("A path without parameters takes precedence over a path with a parameter")
    func looseness() {
        #expect(Self.counts.match(["devices", "counts"]) == [:])
        #expect(Self.counts.looseness < Self.one.looseness)
    }
}

@Suite("Comma-separated values")
struct CSVTests {
    private static let cells = [
        ("plain", "plain"), ("a,b", "\"a,b\""), ("say \"x\"", "\"say \"\"x\"\"\""), ("=1+1", "'=1+1"),
        ("@cmd", "'@cmd"), ("-5", "-5"), ("-5;x", "'-5;x"),
    ]

    @Test("Values are quoted where necessary, and spreadsheets don't take them for formulas", arguments: cells)
    func cell(_ text: String, _ written: String) {
        #expect(CSV.line([text]) == written + "\r\n")
    }
}
