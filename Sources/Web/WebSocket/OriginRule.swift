/// A rule for the origins of pages that may open a WebSocket or send requests.
///
/// If a page opens a WebSocket or sends a request, the browser adds no credentials, not even a cookie. A foreign page
/// would therefore still need an app's secret or a session's token. The rule keeps foreign pages from using their
/// visitors' browsers to try stolen credentials.
package struct OriginRule: Sendable {
    private let origins: Set<String>

    /// Creates a rule from origins such as `https://app.example.com`, separated by commas; `*` allows all origins.
    package init(_ text: String) {
        origins = Set(
            text.lowercased().split(separator: ",")
                .map { $0.filter { $0 != " " } }
                // An origin copied from a browser's address bar can end in a slash, which isn't part of an origin.
                .map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 }
                .filter { !$0.isEmpty }
        )
    }

    /// Returns whether a page with the given origin may connect.
    ///
    /// A client that sends no origin isn't a browser, and may connect.
    ///
    /// Pages from this machine may always connect. With TLS, a page may also connect if its host name equals the name
    /// in the HTTP header `host`; its port doesn't matter.
    func allows(_ origin: String?, host: String?, isSecure: Bool) -> Bool {
        guard let origin = origin?.lowercased() else { return true }
        if origins.contains("*") || origins.contains(origin) { return true }
        guard let name = Self.name(of: origin) else { return false }
        if LocalPeer.names.contains(name) { return true }
        return isSecure && host.map { Self.withoutPort($0.lowercased()) } == name
    }

    /// Returns the host in `scheme://host:port`; nil for any other string, such as the `null` of files and sandboxes.
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
