import Domain
import Testing

@testable import Web

@Suite struct RequestPathTests {
    private static let terminal = String(repeating: "ab", count: 16)

    @Test(
        "A request's path is its topic, or the topic without app and terminal",
        arguments: [
            ("/ll/v1/app/demo/\(terminal)/request/device/list", "demo"), ("/ll/v1/request/device/list", nil),
        ]
    )
    func requests(_ path: String, app: String?) throws {
        let found = try #require(RequestPath(path, root: "ll/v1"))
        let expected = RequestPath.request(
            app.flatMap { AppID($0) },
            app.flatMap { _ in TerminalID(Self.terminal) },
            service: "device",
            method: "list"
        )
        #expect(found == expected)
        #expect(found.method == "POST")
    }

    @Test("The streams are read with GET")
    func stream() {
        #expect(RequestPath("/ll/v1/stream", root: "ll/v1") == .stream)
        #expect(RequestPath("/ll/v1/events", root: "ll/v1") == .events)
        #expect(RequestPath("/ll/v1/stream", root: "ll/v1")?.method == "GET")
        #expect(RequestPath("/ll/v1/events", root: "ll/v1")?.method == "GET")
    }

    @Test(
        "All other paths are unknown",
        arguments: [
            "/ll/v1/", "/ll/v1/request", "/ll/v1/request/device", "/ll/v1/request/device/list/more",
            "/ll/v1/request/device/li%73t", "/ll/v1/request/device/list/", "/ll/v1//request/device/list",
            "/ll/v1/request/../device/list", "/ll/v1/request/device/+", "/ll/v1/request/#/list",
            "/ll/v2/request/device/list",
            "/ll/v1/app/demo/xyz/request/device/list", "/ll/v1/app/demo/\(terminal)/response/device/list",
            "/ll/v1/app/demo/\(terminal)/x/request/device/list", "/ll/v1/stream/", "/ll/v1/Stream",
        ]
    )
    func unknown(_ path: String) {
        #expect(RequestPath(path, root: "ll/v1") == nil)
    }
}
