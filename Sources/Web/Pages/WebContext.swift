import Glibc
import Hummingbird
import NIOCore

/// The context of an HTTP request.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection.
    let channel: any Channel
    /// The source address of the connection, or nil if the channel has none.
    let remoteAddress: SocketAddress?

    init(source: ApplicationRequestContextSource) {
        coreContext = .init(source: source)
        channel = source.channel
        remoteAddress = channel.remoteAddress
    }

    /// Returns the client's address, even if a proxy on this machine made the connection.
    ///
    /// If such a proxy made the connection, the client's address is the last one in `X-Forwarded-For`.
    func address(of request: Request) -> String {
        let peer = remoteAddress?.ipAddress ?? "unknown"
        guard LocalPeer.isLocal(peer),
            let name = HTTPFields.Element.Name("X-Forwarded-For"),
            let last = request.headers[name]?.split(separator: ",").last
        else { return LocalPeer.unmapped(peer) }
        return String(last.filter { $0 != " " }.prefix(64))
    }

    /// Returns the client's IPv4 address, or the /64 network of its IPv6 address.
    func visitor(of request: Request) -> String { Self.household(address(of: request)) }

    /// Returns an IPv4 address, or an IPv6 address's /64 network, which a household shares.
    static func household(_ address: String) -> String {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard inet_pton(AF_INET6, address, &bytes) == 1 else { return address }
        // An IPv4 address in IPv6 form (::ffff:192.0.2.1) is treated as an IPv4 address.
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10...11] == [0xFF, 0xFF]
        return (isMapped ? bytes[12...] : bytes.prefix(8))
            .map { String($0, radix: 16) }.joined(separator: ":")
    }
}
