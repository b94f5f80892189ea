import Hummingbird

/// A rule that admits only requests for the console's own hosts, and answers all others with 421.
///
/// Without the rule, a foreign site could make its own name resolve to this machine. The site's pages could then read
/// the console's answers.
struct HostRule: RouterMiddleware {
    typealias Context = WebContext

    private let names: Set<String>

    /// Creates a rule that admits the given hosts and this machine's own names.
    ///
    /// The `*` in `*.example.com` matches one label.
    init(_ names: [String]) { self.names = Set((names + LocalPeer.names).map { Self.bare($0.lowercased()) }) }

    /// Returns whether the host in a request's authority (`host:port`) is one of the names.
    func allows(_ authority: String?) -> Bool {
        guard let authority else { return false }
        let host = Self.bare(authority.lowercased())
        return names.contains(host) || names.contains("*" + host.drop { $0 != "." })
    }

    @concurrent func handle(
        _ request: Request,
        context: WebContext,
        next: @concurrent (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        if allows(request.head.authority) { return try await next(request, context) }
        return PlainAnswer.text(
            .misdirectedRequest,
            "text/plain; charset=utf-8",
            text: "The console is not served under this name: see the setting console.url.\n"
        )
    }

    /// Returns a host without its port, with brackets around an IPv6 address.
    private static func bare(_ host: String) -> String {
        if host.count(where: { $0 == ":" }) > 1, !host.hasPrefix("[") { return "[\(host)]" }
        let port = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        return String(host[..<(port ?? host.endIndex)])
    }
}
