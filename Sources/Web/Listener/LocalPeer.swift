package import NIOCore
import NIOHTTP1

/// Functions that recognise connections from this machine.
enum LocalPeer {
    /// The names that, in a URL, always mean this machine and never another.
    static let names = ["localhost", "127.0.0.1", "[::1]"]

    /// Returns whether an address is 127.0.0.1 or ::1, which proxies on this machine use.
    static func isLocal(_ address: String) -> Bool {
        let address = unmapped(address)
        return address == "127.0.0.1" || address == "::1"
    }

    /// Converts addresses such as `::ffff:192.0.2.1` to IPv4 form, and returns other addresses unchanged.
    static func unmapped(_ address: String) -> String {
        let prefix = "::ffff:"
        guard address.lowercased().hasPrefix(prefix), address.contains(".") else { return address }
        return String(address.dropFirst(prefix.count))
    }

    /// Returns the remote address of a connection.
    static func address(of channel: any Channel) -> String { unmapped(channel.remoteAddress?.ipAddress ?? "") }

    /// Returns the client's address, even if a proxy on this machine made the connection.
    ///
    /// If a proxy on this machine sent the header `X-Forwarded-For`, the result is the last address in this header.
    static func client(_ channel: any Channel, _ head: HTTPRequestHead) -> String {
        let peer = address(of: channel)
        guard isLocal(peer), let named = head.headers["X-Forwarded-For"].last?.split(separator: ",").last else {
            return peer
        }
        return String(named.filter { $0 != " " }.prefix(64))
    }
}

/// The parties (addresses or networks) whose connections are counted separately.
package enum ConnectionParty {
    /// Returns an IPv4 source address, or the /64 network of an IPv6 address.
    package static func household(_ address: SocketAddress?) -> String {
        WebContext.household(address?.ipAddress ?? "unknown")
    }

    /// Returns the address and port for this machine's connections, or the result of `household` for other connections.
    ///
    /// Each connection from this machine counts as a separate party, because the connection can come from a proxy that
    /// serves many clients.
    package static func householdOrProxied(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress, LocalPeer.isLocal(text) else { return household(address) }
        return "\(text) \(address?.port ?? 0)"
    }
}
