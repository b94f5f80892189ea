import Hummingbird

/// A rule that decides whether a request was made by a user of this machine.
enum LocalVisit {
    /// The headers which show that a proxy on this machine passed a request on.
    private static let forwarded = [
        "Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Real-IP", "Via",
    ].compactMap { HTTPFields.Element.Name($0) }

    /// Returns whether a request comes from this machine and was sent to a name of this machine.
    ///
    /// The name is checked because a foreign site's name can resolve to this machine. A request isn't local if it came
    /// through a proxy or from another site's page.
    static func isLocal(_ request: Request, from address: String?) -> Bool {
        guard let address, LocalPeer.isLocal(address),
            let authority = request.head.authority, isOwnName(authority),
            !forwarded.contains(where: { request.headers[$0] != nil })
        else { return false }
        let site = HTTPFields.Element.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
        return site == nil || site == "same-origin" || site == "none"
    }

    private static func isOwnName(_ authority: String) -> Bool {
        let authority = authority.lowercased()
        return LocalPeer.names.contains { name in authority == name || authority.hasPrefix(name + ":") }
    }
}
