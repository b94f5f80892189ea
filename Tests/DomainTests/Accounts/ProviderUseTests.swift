import Domain
import Testing

@Suite("Recording the use of a provider")
struct ProviderUseTests {
    private static let now = Instant(milliseconds: 1_800_000_000_000)

    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        /// The seconds since the provider's last success, if there was one.
        var success: Int64?
        /// The seconds since the provider's last failure, if there was one.
        var failure: Int64?
        var isFailure: Bool
        var isNews: Bool

        var testDescription: String { name }
    }

    static let rows = [
        Case(name: "a first success", isFailure: false, isNews: true),
        Case(name: "a first failure", success: 1, isFailure: true, isNews: true),
        Case(name: "a success like the last", success: 59, isFailure: false, isNews: false),
        Case(name: "a success after a minute", success: 60, isFailure: false, isNews: true),
        Case(name: "a recovery", success: 9, failure: 1, isFailure: false, isNews: true),
        Case(name: "one failure more", success: 9, failure: 1, isFailure: true, isNews: false),
        Case(name: "a new failure", success: 1, failure: 9, isFailure: true, isNews: true),
        Case(name: "both at one moment", success: 1, failure: 1, isFailure: true, isNews: true),
    ]

    @Test("A changed outcome is recorded at once, an unchanged one at most once a minute", arguments: rows)
    func news(row: Case) {
        let use = ProviderUse(
            succeededAt: row.success.map { Self.now.adding(seconds: -$0) },
            failedAt: row.failure.map { Self.now.adding(seconds: -$0) },
            failure: row.failure.map { _ in "it answered 503" }
        )

        #expect(use.isNews(isFailure: row.isFailure, at: Self.now) == row.isNews)
    }
}
