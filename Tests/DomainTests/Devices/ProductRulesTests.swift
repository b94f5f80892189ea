import Domain
import JSON
import Testing

@Suite("Values that a product accepts")
struct ProductRulesTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var point: DataPoint
        var value: JSONValue
        var fits: Bool

        init(_ point: DataPoint, _ value: JSONValue, _ fits: Bool) {
            self.point = point
            self.value = value
            self.fits = fits
        }

        var testDescription: String {
            "\(point.name) \(fits ? "takes" : "refuses") " + String(decoding: value.encoded(), as: UTF8.self)
        }
    }

    private static let bool = DataPoint("bool", .bool)
    private static let int = DataPoint("int", .int)
    private static let range = DataPoint("range", .int, min: -10, max: 10)
    private static let step = DataPoint("step", .int, min: 1, max: 10, step: 3)
    private static let float = DataPoint("float", .float)
    private static let tenth = DataPoint("tenth", .float, min: -1, max: 1, step: 0.1)
    private static let words = DataPoint("words", .enum, values: ["low", "high"])
    private static let text = DataPoint("text", .string, maxLength: 3)
    private static let anyText = DataPoint("anyText", .string)
    private static let raw = DataPoint("raw", .raw, maxLength: 2)

    static let table: [Case] = [
        Case(bool, true, true), Case(bool, false, true), Case(bool, 1, false),
        Case(bool, "true", false),
        Case(int, 5, true), Case(int, .double(5), true), Case(int, .double(5.5), false),
        Case(int, "5", false), Case(int, true, false), Case(int, [5], false), Case(int, [:], false),
        Case(int, .integer(JSONValue.integerMax), true), Case(int, .double(1e300), false),
        Case(range, -10, true), Case(range, 10, true), Case(range, -11, false),
        Case(range, 11, false),
        Case(step, 1, true), Case(step, 4, true), Case(step, 10, true), Case(step, 3, false),
        Case(float, 5, true), Case(float, .double(5.25), true), Case(float, "5", false),
        Case(tenth, .double(-1), true), Case(tenth, .double(0.3), true),
        Case(tenth, .double(0.7), true),
        Case(tenth, .double(0.35), false), Case(tenth, .double(1.0000001), false),
        Case(words, "low", true), Case(words, "high", true), Case(words, "Low", false),
        Case(words, "", false), Case(words, 0, false),
        Case(text, "", true), Case(text, "abc", true), Case(text, "äöü", true),
        Case(text, "😀😀😀", true),
        Case(text, "abcd", false), Case(text, 123, false),
        Case(anyText, .string(String(repeating: "x", count: 10_000)), true),
        Case(raw, "", true), Case(raw, "QQ==", true), Case(raw, "QUI=", true),
        Case(raw, "QUJD", false),
        Case(raw, "QQ", false), Case(raw, "Q-==", false), Case(raw, "====", false),
        Case(raw, "=QQQ", false),
        Case(raw, 7, false),
    ]

    @Test("A value is checked against its data point", arguments: table)
    func values(_ row: Case) {
        #expect((row.point.problem(with: row.value) == nil) == row.fits)
    }

    struct AccessCase: CustomTestStringConvertible, Sendable {
        var access: DataPoint.Access
        var canBeReported: Bool
        var canBeSet: Bool
        var testDescription: String { access.rawValue }
    }

    static let accesses = [
        AccessCase(access: .readWrite, canBeReported: true, canBeSet: true),
        AccessCase(access: .readOnly, canBeReported: true, canBeSet: false),
        AccessCase(access: .writeOnly, canBeReported: false, canBeSet: true),
    ]

    @Test("The access mode decides who may set a value", arguments: accesses)
    func access(_ row: AccessCase) {
        let product = Make.product(points: [DataPoint("x", .int, access: row.access)])
        let reported = ProductRules.check(reported: ["x": 1], product: product)
        let written = ProductRules.check(written: ["x": 1], product: product)
        #expect((reported == nil) == row.canBeReported)
        #expect((written == nil) == row.canBeSet)
        #expect(row.canBeReported || reported?.field == "data.x")
        #expect(row.canBeSet || written?.field == "params.data.x")
    }

    @Test("A command sets no more attributes than a free-form device may have", arguments: [256, 257])
    func attributesMax(
        _ count: Int
    ) {
        let data = JSONObject(members: (0..<count).map { .init(key: "n\($0)", value: 1) })

        let refusal = ProductRules.check(written: data, product: Make.freeForm)

        #expect((refusal == nil) == (count <= 256))
        #expect(refusal == nil || refusal?.field == "params.data")
    }

    @Test("Write-only values are shown as asterisks")
    func masking() {
        let data: JSONObject = ["pin": "1234", "level": 5]
        let masked = ProductRules.masked(data, product: Make.product())
        #expect(masked == ["pin": "***", "level": 5])
        #expect(ProductRules.masked(data, product: Make.freeForm) == data)
    }

    struct Narrowing: CustomTestStringConvertible, Sendable {
        var name: String
        var next: [DataPoint]
        var narrowed: Bool
        var testDescription: String { name }
    }

    static let old = DataPoint("x", .int, min: 0, max: 10, step: 2)
    static let narrowings = [
        Narrowing(name: "the same", next: [old], narrowed: false),
        Narrowing(
            name: "a wider range",
            next: [DataPoint("x", .int, min: -1, max: 11, step: 2)],
            narrowed: false
        ),
        Narrowing(name: "no bounds", next: [DataPoint("x", .int)], narrowed: false),
        Narrowing(name: "one more", next: [old, DataPoint("y", .bool)], narrowed: false),
        Narrowing(name: "free-form", next: [], narrowed: false),
        Narrowing(name: "taken away", next: [DataPoint("y", .bool)], narrowed: true),
        Narrowing(name: "another type", next: [DataPoint("x", .float, min: 0, max: 10, step: 2)], narrowed: true),
        Narrowing(name: "a higher minimum", next: [DataPoint("x", .int, min: 1, max: 10, step: 2)], narrowed: true),
        Narrowing(name: "a lower maximum", next: [DataPoint("x", .int, min: 0, max: 9, step: 2)], narrowed: true),
        Narrowing(name: "another step", next: [DataPoint("x", .int, min: 0, max: 10, step: 3)], narrowed: true),
        Narrowing(
            name: "write-only now",
            next: [DataPoint("x", .int, access: .writeOnly, min: 0, max: 10, step: 2)],
            narrowed: true
        ),
    ]

    @Test("A new version of a product is compared with the old one", arguments: narrowings)
    func narrowing(_ row: Narrowing) {
        let names = ProductRules.narrowed(
            from: Make.product(points: [Self.old]),
            to: Make.product(points: row.next)
        )
        #expect(names == (row.narrowed ? ["x"] : []))
    }

    struct Loss: CustomTestStringConvertible, Sendable {
        var name: String
        var old: Product
        var new: Product
        var isLost: Bool
        var testDescription: String { name }
    }

    static let losses = [
        Loss(
            name: "the same",
            old: Make.product(alerts: ["hot"]),
            new: Make.product(alerts: ["wet", "hot"]),
            isLost: false
        ),
        Loss(name: "taken away", old: Make.product(alerts: ["hot"]), new: Make.product(alerts: ["wet"]), isLost: true),
        Loss(
            name: "a fault now",
            old: Make.product(alerts: ["hot"]),
            new: Make.product(alerts: [], faults: ["hot"]),
            isLost: true
        ),
        Loss(name: "never declared", old: Make.product(alerts: ["wet"]), new: Make.product(alerts: []), isLost: false),
        Loss(name: "free-form now, without any", old: Make.product(alerts: ["hot"]), new: Make.freeForm, isLost: false),
        Loss(name: "declared now, another", old: Make.freeForm, new: Make.product(alerts: ["wet"]), isLost: true),
    ]

    @Test("An alert that the new version doesn't declare is lost", arguments: losses)
    func lost(_ row: Loss) {
        #expect(ProductRules.isLost(.alert, "hot", from: row.old, to: row.new) == row.isLost)
    }

    @Test("Removing a word from an enum or shortening a string narrows the data point") func wordsAndLengths() {
        let old = Make.product(points: [Self.words, Self.text])
        let new = Make.product(points: [
            DataPoint("words", .enum, values: ["low", "mid"]), DataPoint("text", .string, maxLength: 2),
        ])
        #expect(ProductRules.narrowed(from: old, to: new) == ["words", "text"])
    }
}
