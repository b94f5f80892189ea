import Domain
import JSON
import Testing

@Suite("Documents of products and apps")
struct DocumentTests {
    private static let key = String(repeating: "a", count: 32)

    private func product(_ more: String = "") throws -> Product {
        try ProductCodec.decode(Make.object(Array(#"{"productKey":"\#(Self.key)","name":"Lamp"\#(more)}"#.utf8)))
    }

    @Test("A product is written as it was read")
    func roundTrip() throws {
        let product = try product(
            #"""
            ,"registration":"listed","reset":"open","remoteBind":"secret","historyDays":7,
            "alerts":["hot"],"faults":["f"],"dataPoints":[
            {"name":"p","access":"rw","type":"bool","displayName":"Power"},
            {"name":"l","access":"rw","type":"int","min":0,"max":100,"step":5,"unit":"%"},
            {"name":"t","access":"ro","type":"float","min":-40.5},
            {"name":"m","access":"rw","type":"enum","values":["a","b"]},
            {"name":"s","access":"wo","type":"string","maxLength":8},
            {"name":"r","access":"ro","type":"raw"}]
            """#
        )
        #expect(try ProductCodec.decode(ProductCodec.encode(product)) == product)
        #expect(product.dataPoints.count == 6)
    }

    @Test("Omitted members of a product have their defaults")
    func defaults() throws {
        let product = try product()
        #expect(product.isFreeForm && product.registration == .open && product.reset == .owner)
        #expect(product.remoteBind == .claim && product.historyDays == nil)
    }

    struct Bad: CustomTestStringConvertible, Sendable {
        var more: String
        var field: String
        init(_ more: String, _ field: String) {
            self.more = more
            self.field = field
        }
        var testDescription: String { more }
    }

    static let bad = [
        Bad(#","registration":"closed""#, "registration"), Bad(#","reset":"never""#, "reset"),
        Bad(#","alerts":["a","a"]"#, "alerts"), Bad(#","faults":[1]"#, "faults"),
        Bad(#","faults":[""]"#, "faults"),
        Bad(#","historyDays":0"#, "historyDays"), Bad(#","dataPoints":{}"#, "dataPoints"),
        Bad(#","dataPoints":[1]"#, "dataPoints.0"),
        Bad(#","dataPoints":[{"access":"rw","type":"int"}]"#, "dataPoints.0.name"),
        Bad(#","dataPoints":[{"name":"a","type":"int"}]"#, "dataPoints.0.access"),
        Bad(#","dataPoints":[{"name":"a","access":"rw"}]"#, "dataPoints.0.type"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"date"}]"#, "dataPoints.0.type"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"enum"}]"#, "dataPoints.0.values"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"enum","values":["x","x"]}]"#, "dataPoints.0.values"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"int","min":2,"max":1}]"#, "dataPoints.0.min"),
        Bad(#","dataPoints":[{"name":"a","access":"rw","type":"int","step":0}]"#, "dataPoints.0.step"),
        Bad(
            #","dataPoints":[{"name":"a","access":"rw","type":"int"},{"name":"a","access":"rw","type":"int"}]"#,
            "dataPoints.1.name"
        ),
    ]

    @Test("An invalid product is refused with the field", arguments: bad)
    func refuses(_ row: Bad) {
        let rejection = #expect(throws: Rejection.self) { try product(row.more) }
        #expect(rejection?.field == row.field)
    }

    @Test("All faults of a product are reported at once, at most 32")
    func allFaults() {
        let two = #expect(throws: Rejection.self) {
            try product(#","reset":"never","dataPoints":[{"name":"a","type":"date"}]"#)
        }
        #expect(two?.others.map(\.field) == ["dataPoints.0.access", "dataPoints.0.type"])
        let points = Array(repeating: "1", count: 100).joined(separator: ",")
        let many = #expect(throws: Rejection.self) { try product(#","dataPoints":[\#(points)]"#) }
        #expect(many?.others.count == 31)
    }

    @Test("An app sees either all products or the listed ones")
    func apps() throws {
        func app(_ more: String) throws -> App {
            try AppCodec.decode(Make.object(Array(#"{"appId":"demo","name":"Demo"\#(more)}"#.utf8)))
        }
        #expect(try app("").products == .all)
        #expect(try app(#","products":"all""#).products == .all)
        #expect(try app(#","products":["\#(Self.key)"]"#).products == .only([Make.key]))
        for more in [#","products":"some""#, #","products":["x"]"#, #","products":[7]"#] {
            #expect(throws: Rejection.self) { try app(more) }
        }
    }
}
