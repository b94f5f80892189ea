import Hummingbird

/// Lets in requests under the console's own names alone, and answers others with 421.
///
/// A page whose name was made to lead here would else count as the same origin.
struct HostRule: RouterMiddleware {
    typealias Context = WebContext

    private let names: Set<String>

    /// Takes names and addresses besides this machine's; `*.example.com` stands for one label more.
    init(_ names: [String]) {
        self.names = Set((names + LocalPeer.names).map { Self.bare($0.lowercased()) })
    }

    /// Tells whether a request's authority, `host:port`, is one of the names.
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

    /// Returns a host without its port, an address of IPv6 in brackets.
    private static func bare(_ host: String) -> String {
        if host.count(where: { $0 == ":" }) > 1, !host.hasPrefix("[") { return "[\(host)]" }
        let port = host.lastIndex(of: ":").flatMap { host[$0...].contains("]") ? nil : $0 }
        return String(host[..<(port ?? host.endIndex)])
    }
}
