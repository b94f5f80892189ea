import Testing

@testable import Gate

@Suite("Filters")
struct FilterTests {
    @Test("A filter that MQTT doesn't know is none", arguments: ["", "a/#/b", "a+", "#a", "a/b#"])
    func invalid(text: String) {
        #expect(Filter(text) == nil)
    }
}
