/// What the playground of the reference is told of the service, and where its page may connect.
package struct Playground: Sendable {
    /// The port of MQTT over WebSocket; nil where it is off.
    let webSocketPort: Int?
    /// The same with TLS.
    let webSocketTLSPort: Int?
    /// The facts as JSON.
    let facts: @Sendable (_ forThisMachine: Bool) -> String

    /// Puts the ports and the facts together; the facts hold keys for visitors on this machine alone.
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

    /// Returns the sources that the page may connect to when it was asked for under a host's name.
    ///
    /// Its own origin is one, also for WebSockets that a proxy passes on. A policy can't name addresses of IPv6: a page
    /// of `[::1]` connects to 127.0.0.1, which the listeners of this machine have too.
    func connectSources(host: String?) -> String {
        guard let host = host.flatMap(Self.policyName) else { return "'self'" }
        let sources = [("ws", webSocketPort), ("wss", webSocketTLSPort)].compactMap {
            scheme,
            port in
            port.map { "\(scheme)://\(host):\($0)" }
        }
        return (["'self'"] + sources).joined(separator: " ")
    }

    /// Returns the host of an authority as a policy may name it; nil where nothing in it is one.
    private static func policyName(_ authority: String) -> String? {
        if authority == "[::1]" || authority.hasPrefix("[::1]:") { return "127.0.0.1" }
        let host = authority.prefix { $0 != ":" }
        let isName = host.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-")
        }
        return isName && !host.isEmpty && host.utf8.count <= 253 ? String(host) : nil
    }
}
