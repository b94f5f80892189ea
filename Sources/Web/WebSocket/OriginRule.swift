/// Decides which pages may open a WebSocket here.
///
/// Browsers send no credentials with the connection, not even a cookie: a foreign page would still need an app's secret
/// or a session's token. The rule keeps such a page from trying stolen ones from its visitors' browsers.
package struct OriginRule: Sendable {
    private let origins: Set<String>

    /// Creates a rule from the pages' origins, such as `https://app.example.com`, separated by commas; `*` allows any.
    package init(_ text: String) {
        origins = Set(
            text.lowercased().split(separator: ",")
                .map { $0.filter { $0 != " " } }
                // An origin copied from a browser's address line can end in a slash; an origin has no path.
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                .filter { !$0.isEmpty }
        )
    }

    /// Returns whether a page of an origin may connect; a client without an origin isn't a browser and may.
    ///
    /// Pages of this machine always may. With TLS, so may pages served under the name in `host` (the header), from any
    /// port.
    func allows(_ origin: String?, host: String?, isSecure: Bool) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains("*") || origins.contains(origin) { return true }
        guard let name = Self.name(of: origin) else { return false }
        if LocalPeer.names.contains(name) { return true }
        return isSecure && host.map { Self.withoutPort($0.lowercased()) } == name
    }

    /// Returns the host in `scheme://host:port`; nil for `null`, the origin of pages from files and sandboxes.
    private static func name(of origin: String) -> String? {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
        return withoutPort(String(origin[start...]))
    }

    private static func withoutPort(_ text: String) -> String {
        guard text.hasPrefix("[") else { return String(text.prefix { $0 != ":" }) }
        return text.firstIndex(of: "]").map { String(text[...$0]) } ?? text
    }
}
