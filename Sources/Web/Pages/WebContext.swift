import Hummingbird
import NIOCore

/// What is known of one HTTP request besides itself.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// Where the connection comes from; nil in tests.
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        remoteAddress = source.channel.remoteAddress
    }

    /// Who asks: the other end of the connection, or, where that is a proxy on this machine, whom
    /// the proxy names last.
    func visitor(of request: Request) -> String {
        let peer = remoteAddress?.ipAddress ?? "unknown"
        guard peer == "127.0.0.1" || peer == "::1",
            let name = HTTPFields.Element.Name("X-Forwarded-For"),
            let last = request.headers[name]?.split(separator: ",").last
        else { return peer }
        return String(last.filter { $0 != " " }.prefix(64))
    }
}
