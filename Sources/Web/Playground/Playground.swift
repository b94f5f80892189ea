/// The playground's facts about the service, and the addresses to which the playground's page may connect.
package struct Playground: Sendable {
    /// The port of MQTT over WebSocket, or nil if that listener is off.
    let webSocketPort: Int?
    /// The port of MQTT over WebSocket with TLS, or nil if that listener is off.
    let webSocketTLSPort: Int?
    /// Returns the facts as JSON.
    let facts: @Sendable (_ forThisMachine: Bool) -> String

    /// Creates a playground whose `facts` may include secrets only for visitors on this machine.
    package init(
        webSocketPort: Int?,
        webSocketTLSPort: Int?,
        facts: @escaping @Sendable (_ forThisMachine: Bool) -> String
    ) {
        (self.webSocketPort, self.webSocketTLSPort, self.facts) = (webSocketPort, webSocketTLSPort, facts)
    }

    /// The path of the playground's page below `/docs/`.
    static let page = "try.html"
    /// The path of the facts below `/docs/`.
    static let factsPath = "try/facts.json"

    /// Returns the addresses to which a page from `host` may connect, in the syntax of a content security policy.
    ///
    /// The addresses include the page's own origin. If a proxy offers MQTT over WebSocket at this origin, the page can
    /// therefore use the proxy. A policy can't name IPv6 addresses. A page from `[::1]` therefore connects to this
    /// machine's listeners at 127.0.0.1.
    func connectSources(host: String?) -> String {
        guard let host = host.flatMap(Self.policyName) else { return "'self'" }
        let ports = [("ws", webSocketPort), ("wss", webSocketTLSPort)]
        let sources = ports.compactMap { scheme, port in port.map { "\(scheme)://\(host):\($0)" } }
        return (["'self'"] + sources).joined(separator: " ")
    }

    /// Returns the host to write into the policy for a page from the given authority (`host:port`).
    ///
    /// Returns nil if a policy can't contain the authority's host.
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
