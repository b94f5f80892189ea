/// Decides from which pages a browser may open a WebSocket here.
///
/// Nothing comes with the connection by itself, no cookie: a foreign page would still need an app's secret or a
/// session's token. The rule keeps it from trying those that it got hold of in its visitors' names.
package struct OriginRule: Sendable {
    private let origins: Set<String>

    /// Takes the pages' origins, `https://app.example.com`, with commas between them; `*` is any.
    package init(_ text: String) {
        origins = Set(
            text.lowercased().split(separator: ",")
                .map { $0.filter { $0 != " " } }
                // As copied from the browser's address line; an origin has no path.
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                .filter { !$0.isEmpty }
        )
    }

    /// Tells whether a page of that origin may; a client that names none is no browser.
    ///
    /// Pages of this machine always may, and with TLS those that are served under the name that `host` (the header)
    /// has, from whatever port.
    func allows(_ origin: String?, host: String?, isSecure: Bool) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains("*") || origins.contains(origin) { return true }
        guard let name = Self.name(of: origin) else { return false }
        if LocalPeer.names.contains(name) { return true }
        return isSecure && host.map { Self.withoutPort($0.lowercased()) } == name
    }

    /// Returns the host in `scheme://host:port`; nil for `null`, which pages from files and sandboxes have.
    private static func name(of origin: String) -> String? {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
        return withoutPort(String(origin[start...]))
    }

    private static func withoutPort(_ text: String) -> String {
        guard text.hasPrefix("[") else { return String(text.prefix { $0 != ":" }) }
        return text.firstIndex(of: "]").map { String(text[...$0]) } ?? text
    }
}
