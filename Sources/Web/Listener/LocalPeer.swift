import NIOCore
import NIOHTTP1

/// The other end of a connection, where that is this machine.
enum LocalPeer {
    /// The names of this machine in a URL, as no other machine can have them.
    static let names = ["localhost", "127.0.0.1", "[::1]"]

    /// Tells whether an address is one by which a proxy on this machine comes.
    static func isLocal(_ address: String) -> Bool {
        let address = unmapped(address)
        return address == "127.0.0.1" || address == "::1"
    }

    /// Returns an IPv4 address as such where a listener of all addresses tells it in IPv6 form (`::ffff:192.0.2.1`).
    static func unmapped(_ address: String) -> String {
        let prefix = "::ffff:"
        guard address.lowercased().hasPrefix(prefix), address.contains(".") else { return address }
        return String(address.dropFirst(prefix.count))
    }

    /// Returns the address of a connection's other end.
    static func address(of channel: any Channel) -> String {
        unmapped(channel.remoteAddress?.ipAddress ?? "")
    }

    /// Returns the client's address: the other end, or what a proxy on this machine says last.
    static func client(_ channel: any Channel, _ head: HTTPRequestHead) -> String {
        let peer = address(of: channel)
        guard isLocal(peer),
            let named = head.headers["X-Forwarded-For"].last?.split(separator: ",").last
        else { return peer }
        return String(named.filter { $0 != " " }.prefix(64))
    }
}

/// What connections are counted by.
enum ConnectionParty {
    /// The source address, of IPv6 its /64.
    static func household(_ address: SocketAddress?) -> String {
        WebContext.household(address?.ipAddress ?? "unknown")
    }

    /// The same, but each connection from this machine by itself, since a proxy may stand there for many.
    static func householdOrProxied(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress, LocalPeer.isLocal(text) else {
            return household(address)
        }
        return "\(text) \(address?.port ?? 0)"
    }
}
