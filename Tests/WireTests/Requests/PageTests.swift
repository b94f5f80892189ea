import Domain
import JSON
import Testing
import Wire

@Suite("Pages of rows")
struct PageTests {
    private func fields(_ text: String) throws -> Fields {
        Fields(try Make.object(Array(text.utf8)), path: "params.")
    }

    @Test(
        "A page begins after its cursor, at its offset, or at the first row",
        arguments: [(#"{}"#, 0), (#"{"offset":7}"#, 7), (#"{"cursor":"12"}"#, 12)]
    )
    func offsets(_ text: String, _ offset: Int64) throws {
        #expect(try fields(text).pageOffset() == offset)
    }

    @Test(
        "An invalid page position is refused with the field",
        arguments: [
            (#"{"offset":-1}"#, "params.offset"), (#"{"cursor":"x"}"#, "params.cursor"),
            (#"{"cursor":"1","offset":1}"#, "params.offset"),
        ]
    )
    func wrongOffsets(_ text: String, _ field: String) throws {
        let fields = try fields(text)

        let rejection = #expect(throws: Rejection.self) { try fields.pageOffset() }

        #expect(rejection?.field == field)
    }

    @Test("A row's cursor is read back, and an invented cursor is refused") func rowCursors() throws {
        let cursor = RowCursor(at: Make.now, id: "s-1")

        let read = try RowCursor(fields(#"{"cursor":"\#(cursor.text)"}"#))

        #expect(read?.at == Make.now)
        #expect(read?.id == "s-1")
        #expect(try RowCursor(fields("{}")) == nil)
        #expect(throws: Rejection.self) { try RowCursor(fields(#"{"cursor":"s-1"}"#)) }
    }

    @Test("Rows end before they exceed a payload")
    func fitting() {
        let long = JSONValue.string(String(repeating: "a", count: 20_000))

        let rows = AnswerRows.fitting(0..<10) { _ in long }

        #expect(rows.count == 3)
        #expect(rows.map(AnswerRows.bytes).reduce(0, +) < AnswerRows.bytesMax)
    }

    @Test("A null field counts as absent, and can be distinguished from a missing one") func nulls() throws {
        let fields = try fields(#"{"a":null,"b":1}"#)

        #expect(!fields.has("a") && fields.has("b") && !fields.has("c"))
        #expect(fields.isNull("a") && !fields.isNull("b") && !fields.isNull("c"))
    }
}
