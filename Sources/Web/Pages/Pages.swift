package import Domain

/// The functions of the service that the pages need, since `Web` has no store.
package struct Pages: Sendable {
    /// Shows where a link stands, and changes nothing.
    package var look: @Sendable (_ token: String) async -> LinkView
    /// Follows a link; a password only where the page asks for one.
    package var follow: @Sendable (_ token: String, _ password: String?) async -> LinkView
    /// A picture by its digest.
    package var avatar: @Sendable (_ digest: String) async -> (mediaType: String, bytes: [UInt8])?
    /// The path of `publicUrl`, empty or with a slash in front and none at its end.
    package var basePath: String
    /// Whether users reach the pages by https.
    package var isSecure: Bool

    /// How many pages one visitor may open in a minute.
    package var visitsPerMinute: Int

    /// Puts the functions together.
    package init(
        look: @escaping @Sendable (_ token: String) async -> LinkView,
        follow: @escaping @Sendable (_ token: String, _ password: String?) async -> LinkView,
        avatar:
            @escaping @Sendable (_ digest: String) async -> (mediaType: String, bytes: [UInt8])?,
        publicURL: String,
        visitsPerMinute: Int
    ) {
        self.visitsPerMinute = visitsPerMinute
        self.look = look
        self.follow = follow
        self.avatar = avatar
        isSecure = publicURL.lowercased().hasPrefix("https://")
        let rest = publicURL.firstRange(of: "://").map { publicURL[$0.upperBound...] } ?? ""
        basePath = rest.firstIndex(of: "/").map { String(rest[$0...]) } ?? ""
        while basePath.hasSuffix("/") { basePath.removeLast() }
    }
}
