package import NIOCore
import NIOHTTP1

/// The other end of a connection from this machine.
enum LocalPeer {
    /// The names of this machine in a URL, which no other machine can have.
    static let names = ["localhost", "127.0.0.1", "[::1]"]

    /// Returns whether an address is one from which a proxy on this machine connects.
    static func isLocal(_ address: String) -> Bool {
        let address = unmapped(address)
        return address == "127.0.0.1" || address == "::1"
    }

    /// Returns the IPv4 form of an address that a listener on all addresses reports in IPv6 form (`::ffff:192.0.2.1`).
    static func unmapped(_ address: String) -> String {
        let prefix = "::ffff:"
        guard address.lowercased().hasPrefix(prefix), address.contains(".") else { return address }
        return String(address.dropFirst(prefix.count))
    }

    /// Returns the address of a connection's other end.
    static func address(of channel: any Channel) -> String { unmapped(channel.remoteAddress?.ipAddress ?? "") }

    /// Returns the client's address: the other end's, or the last one that a proxy on this machine names.
    static func client(_ channel: any Channel, _ head: HTTPRequestHead) -> String {
        let peer = address(of: channel)
        guard isLocal(peer), let named = head.headers["X-Forwarded-For"].last?.split(separator: ",").last else {
            return peer
        }
        return String(named.filter { $0 != " " }.prefix(64))
    }
}

/// The parties that connections are counted by.
package enum ConnectionParty {
    /// Returns the source address, or its /64 for IPv6.
    package static func household(_ address: SocketAddress?) -> String {
        WebContext.household(address?.ipAddress ?? "unknown")
    }

    /// Returns what `household` does, but the address and port of a connection from this machine.
    ///
    /// Each of these connections counts separately, since it can come from a proxy that serves many clients.
    package static func householdOrProxied(_ address: SocketAddress?) -> String {
        guard let text = address?.ipAddress, LocalPeer.isLocal(text) else { return household(address) }
        return "\(text) \(address?.port ?? 0)"
    }
}
