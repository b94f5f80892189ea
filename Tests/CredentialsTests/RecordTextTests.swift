import Testing

@testable import Credentials

@Suite("Records as digits in messages")
struct RecordTextTests {
    @Test("A record is read as it was written; a truncated, changed or doubled record is refused")
    func text() throws {
        let digest = try #require(Digest([UInt8](0..<32)))
        let record = Record.service(name: "mailer", secret: digest, role: .custom(publish: ["a/#"], subscribe: []))
        let text = try record.hex()

        #expect(Record(hex: text) == record)
        #expect(Record(hex: String(text.dropLast(2))) == nil)
        #expect(Record(hex: String(text.dropLast())) == nil)
        #expect(Record(hex: text + text) == nil)
        #expect(Record(hex: "") == nil)
        #expect(Record(hex: String(text.dropLast()) + "g") == nil)
        let last = text.last == "0" ? "1" : "0"
        #expect(Record(hex: String(text.dropLast()) + last) == nil)
    }
}
