import TestKit
import Testing

@testable import Gate

@Suite("Depth of subscriptions")
struct FilterShapeTests {
    private static let space = "ll/v1/app/demo/t"

    private func isAllowed(_ filter: String, levels: Int = 8) -> Bool {
        Array(filter.utf8).withUnsafeBufferPointer {
            FilterShape.isAllowed(
                $0,
                behind: Self.space.utf8.count,
                rootLevels: 2,
                levels: levels
            )
        }
    }

    @Test(
        "The schemas' topics can be subscribed to, and deep filters are refused",
        arguments: [
            ("", true), ("/#", true), ("/+", true), ("/response", true), ("/session", true), ("/answers", true),
            ("/command/#", true), ("/response/1/2", true), ("/response/#", true), ("/response/1/2/3", false),
            ("/device/d-1/status", true), ("/device/+/status", true), ("/device/+/+", true), ("/device/#", true),
            ("/device/d-1/status/#", false), ("/q/x", false), ("/q/x/x/x/x", false), ("/+/x", false), ("/+/+/#", false),
            ("/" + String(repeating: "x", count: 255), true), ("/" + String(repeating: "x", count: 257), false),
        ]
    )
    func forms(rest: String, expected: Bool) {
        #expect(isAllowed(Self.space + rest) == expected)
    }
}
