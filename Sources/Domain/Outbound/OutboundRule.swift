/// The rule for connections to URLs that others provide, such as the URLs of event webhooks.
///
/// The rule allows `https` URLs with public addresses, and the targets in `outbound.privateTargets`. Without the rule,
/// an API key's owner could reach hosts in the service's own network. Such hosts can be databases or a cloud's metadata
/// server.
package struct OutboundRule: Sendable {
    private let hosts: Set<String>
    private let blocks: [AddressBlock]

    /// The rule without any exceptions.
    package static let strict = OutboundRule(hosts: [], blocks: [])

    private init(hosts: Set<String>, blocks: [AddressBlock]) { (self.hosts, self.blocks) = (hosts, blocks) }

    /// Makes a rule with an operator's exceptions: hosts, addresses and blocks of addresses, separated by commas.
    ///
    /// - Throws: `UnknownTarget` for an item of any other form.
    package init(privateTargets: String) throws(UnknownTarget) {
        var (hosts, blocks) = (Set<String>(), [AddressBlock]())
        for item in privateTargets.split(separator: ",") {
            let text = String(item.filter { !$0.isWhitespace }).lowercased()
            if text.isEmpty { continue }
            if let block = AddressBlock(text) {
                blocks.append(block)
            } else if OutboundURL.isName(text) {
                hosts.insert(text)
            } else {
                throw UnknownTarget(text: text)
            }
        }
        self.init(hosts: hosts, blocks: blocks)
    }

    /// Returns a message about the first invalid exception, or nil if all exceptions are valid.
    package static func objection(to privateTargets: String) -> String? {
        do throws(UnknownTarget) {
            _ = try OutboundRule(privateTargets: privateTargets)
            return nil
        } catch {
            return "must name hosts, addresses and blocks such as 10.1.0.0/16, separated by commas, not \(error.text)"
        }
    }

    /// An item of `outbound.privateTargets` that is neither a host nor a block of addresses.
    package struct UnknownTarget: Error {
        /// The text of the item.
        package let text: String
    }

    /// Checks a URL but not its host's addresses, which are checked before each connection.
    ///
    /// - Throws: A `Rejection` that names the field, if the URL isn't allowed.
    package func check(_ text: String, field: String) throws(Rejection) -> OutboundURL {
        guard let url = OutboundURL(text) else {
            throw .invalid(
                field,
                "The address must be https://HOST/…, of at most \(OutboundURL.bytesMax) visible characters, without "
                    + "credentials."
            )
        }
        guard url.isSecure || isNamed(url) else {
            throw .invalid(field, "The address must be https, unless outbound.privateTargets names its host.")
        }
        let isOwn = url.host == "localhost" || url.host.hasSuffix(".localhost")
        if isNamed(url) { return url }
        guard !isOwn, url.address?.isPublic ?? true else {
            throw .invalid(
                field,
                "The address must be public; an operator can allow others by the setting outbound.privateTargets."
            )
        }
        return url
    }

    /// Returns whether the service may connect to an address of a URL's host.
    package func admits(_ address: InternetAddress, of url: OutboundURL) -> Bool {
        if hosts.contains(url.host) || blocks.contains(where: { $0.contains(address) }) { return true }
        return url.isSecure && address.isPublic
    }

    private func isNamed(_ url: OutboundURL) -> Bool {
        hosts.contains(url.host) || url.address.map { address in blocks.contains { $0.contains(address) } } ?? false
    }
}

/// A URL from another party, with the parts of the URL that the rule checks.
package struct OutboundURL: Equatable, Sendable {
    /// The whole URL.
    package let text: String
    /// Whether the scheme is `https`; otherwise it is `http`.
    package let isSecure: Bool
    /// The host in lower case, without a dot at the end.
    package let host: String

    /// The maximum number of bytes in a URL.
    package static let bytesMax = 2_048

    /// The host as an address; nil for a host name.
    package var address: InternetAddress? { InternetAddress(host) }

    /// Parses an HTTP or HTTPS URL.
    ///
    /// Returns nil if the URL contains credentials, or if libcurl could parse it differently.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.bytesMax, text.utf8.allSatisfy({ $0.isVisible && $0 != UInt8(ascii: "\\") })
        else { return nil }
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard scheme == "https" || scheme == "http", text.dropFirst(scheme.count).hasPrefix("://") else { return nil }
        let authority = text.dropFirst(scheme.count + 3).prefix { !"/?#".contains($0) }
        let end = authority.hasPrefix("[") ? authority.firstIndex(of: "]").map(authority.index(after:)) : nil
        let host = authority[..<(end ?? authority.firstIndex(of: ":") ?? authority.endIndex)]
        let port = authority[host.endIndex...]
        guard port.isEmpty || port.first == ":" && UInt16(port.dropFirst()).map({ $0 > 0 }) ?? false else { return nil }
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        guard name.hasPrefix("[") ? InternetAddress(name) != nil : Self.isName(name) else { return nil }
        (self.text, self.isSecure, self.host) = (text, scheme == "https", name)
    }

    /// Returns whether a lowercase string has the form of a host name or an IPv4 address.
    static func isName(_ text: String) -> Bool {
        (1...253).contains(text.utf8.count)
            && text.utf8.allSatisfy { $0.isDigit || $0.isLowercase || "-._".utf8.contains($0) }
            && text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }
}
