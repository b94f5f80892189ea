package import Domain

/// The service's functions that the pages call, because `Web` itself has no access to the store.
package struct Pages: Sendable {
    /// Returns the state of a link without changing anything.
    package var look: @Sendable (_ token: String) async -> LinkView
    /// Carries out a link's action; only the page for a password reset passes a password, and others pass nil.
    package var follow: @Sendable (_ token: String, _ password: String?) async -> LinkView
    /// Returns a picture by its digest.
    package var avatar: @Sendable (_ digest: String) async -> (mediaType: String, bytes: [UInt8])?
    /// The path in `publicUrl`: empty, or with a leading but no trailing slash.
    package var basePath: String
    /// Whether users reach the pages over HTTPS.
    package var isSecure: Bool

    /// The maximum number of pages that one visitor can open in a minute.
    package var visitsPerMinute: Int

    /// Creates the collection of functions.
    package init(
        look: @escaping @Sendable (_ token: String) async -> LinkView,
        follow: @escaping @Sendable (_ token: String, _ password: String?) async -> LinkView,
        avatar: @escaping @Sendable (_ digest: String) async -> (mediaType: String, bytes: [UInt8])?,
        publicURL: String,
        visitsPerMinute: Int
    ) {
        (self.visitsPerMinute, self.look, self.follow, self.avatar) = (visitsPerMinute, look, follow, avatar)
        isSecure = publicURL.lowercased().hasPrefix("https://")
        let rest = publicURL.firstRange(of: "://").map { publicURL[$0.upperBound...] } ?? ""
        basePath = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
        while basePath.hasSuffix("/") { basePath.removeLast() }
    }
}
