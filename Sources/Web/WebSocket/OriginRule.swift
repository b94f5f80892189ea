/// A rule for the origins of pages that may open a WebSocket or send requests.
///
/// A browser adds no credentials, not even cookies, to a page's WebSockets and requests. A foreign page would therefore
/// still need an app's secret or a session's token. The rule keeps foreign pages from using their visitors' browsers to
/// try stolen credentials.
package struct OriginRule: Sendable {
    private let origins: Set<String>

    /// Creates a rule from comma-separated origins such as `https://app.example.com`, or from `*`, which allows all
    /// origins.
    package init(_ text: String) {
        origins = Set(
            text.lowercased().split(separator: ",")
                .map { $0.filter { $0 != " " } }
                // An origin from an address bar can have an extra slash at its end.
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                .filter { !$0.isEmpty }
        )
    }

    /// Returns whether a page with the given origin may connect.
    ///
    /// A client that sends no origin isn't a browser, and may connect.
    ///
    /// Pages from this machine may always connect. With TLS, a page may also connect if its host equals the host in the
    /// HTTP header `host`. The ports don't matter.
    func allows(_ origin: String?, host: String?, isSecure: Bool) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains("*") || origins.contains(origin) { return true }
        guard let name = Self.name(of: origin) else { return false }
        if LocalPeer.names.contains(name) { return true }
        return isSecure && host.map { Self.withoutPort($0.lowercased()) } == name
    }

    /// Returns the host in `scheme://host:port`, or nil for another string such as `null`.
    private static func name(of origin: String) -> String? {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
        let (authority, name) = (origin[start...], withoutPort(String(origin[start...])))
        let port = authority.dropFirst(name.count)
        guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()) != nil else { return nil }
        return name
    }

    private static func withoutPort(_ text: String) -> String {
        guard text.hasPrefix("[") else { return String(text.prefix { $0 != ":" }) }
        return text.firstIndex(of: "]").map { String(text[...$0]) } ?? text
    }
}
