/// The facts about the service for the reference's playground, and the addresses to which its page can connect.
package struct Playground: Sendable {
    /// The port of MQTT over WebSocket; nil if it's off.
    let webSocketPort: Int?
    /// The port of MQTT over WebSocket with TLS; nil if it's off.
    let webSocketTLSPort: Int?
    /// The facts as JSON.
    let facts: @Sendable (_ forThisMachine: Bool) -> String

    /// Creates a playground; the facts contain keys only for visitors on this machine.
    package init(
        webSocketPort: Int?,
        webSocketTLSPort: Int?,
        facts: @escaping @Sendable (_ forThisMachine: Bool) -> String
    ) {
        self.webSocketPort = webSocketPort
        self.webSocketTLSPort = webSocketTLSPort
        self.facts = facts
    }

    /// The path of the page below `/docs/`.
    static let page = "try.html"
    /// The path of the facts.
    static let factsPath = "try/facts.json"

    /// Returns the sources that the page may connect to if it was requested under a host's name.
    ///
    /// They include the page's own origin, also for WebSockets that a proxy forwards. A policy can't name IPv6
    /// addresses: a page of `[::1]` connects to 127.0.0.1, where this machine's listeners are reachable too.
    func connectSources(host: String?) -> String {
        guard let host = host.flatMap(Self.policyName) else { return "'self'" }
        let sources = [("ws", webSocketPort), ("wss", webSocketTLSPort)].compactMap {
            scheme,
            port in
            port.map { "\(scheme)://\(host):\($0)" }
        }
        return (["'self'"] + sources).joined(separator: " ")
    }

    /// Returns an authority's host in the form that a policy can name; nil if it has none.
    private static func policyName(_ authority: String) -> String? {
        if authority == "[::1]" || authority.hasPrefix("[::1]:") { return "127.0.0.1" }
        let host = authority.prefix { $0 != ":" }
        let isName = host.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
                || byte == UInt8(ascii: "-")
        }
        return isName && !host.isEmpty && host.utf8.count <= 253 ? String(host) : nil
    }
}
