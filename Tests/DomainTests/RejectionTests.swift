import Domain
import JSON
import Testing

@Suite("Texts of refusals")
struct RejectionTests {
    @Test("A sender's text is shown up to the schema's limit")
    func long() {
        let name = String(repeating: "é", count: 65_000)

        let rejection = Rejection.invalid("data.\(name)", "\(name) is no data point.")

        #expect(rejection.field?.unicodeScalars.count == 256)
        #expect(rejection.field?.hasPrefix("data.éé") == true)
        #expect(rejection.field?.hasSuffix("é…") == true)
        #expect(rejection.message.unicodeScalars.count == 1024)
        #expect(rejection.message.hasSuffix("é…"))
    }

    @Test("A text that fits is shown whole; its length is counted in code points")
    func short() {
        let field = String(repeating: "é", count: 256)
        let message = String(repeating: "😀", count: 1024)

        let rejection = Rejection(.forbidden, message, field: field)

        #expect(rejection.field == field)
        #expect(rejection.message == message)
        #expect(Rejection(.forbidden, "No.").field == nil)
    }

    @Test("The refusal of an attribute with a long name contains the reason")
    func attribute() {
        let name = String(repeating: "x", count: 65_000)

        for product in [Make.product(), Make.freeForm] {
            let rejection = ProductRules.check(
                reported: JSONObject([(name, 1)]),
                product: product
            )
            #expect((rejection?.field?.utf8.count ?? .max) < 256)
            #expect((rejection?.message.utf8.count ?? .max) < 256)
            #expect(rejection?.field?.hasPrefix("data.xxx") == true)
            #expect(rejection?.message.contains("… ") == true)
        }
    }
}
