package import Domain

/// The app's description of the terminal that logs in.
package struct TerminalInfo: Sendable, Equatable {
    /// The terminal's platform, as reported by the app.
    package let platform: String
    /// The terminal's operating system.
    package let os: String
    /// The terminal's display name.
    package let name: String

    /// Describes a terminal that the service itself creates, such as the one for a user's Home Assistant.
    package init(platform: String, name: String) { (self.platform, os, self.name) = (platform, "", name) }

    /// Reads `platform`, `os` and `name`; absent fields become empty strings.
    package init(_ fields: Fields) throws(Rejection) {
        platform = try fields.text("platform", length: 0...64) ?? ""
        os = try fields.text("os", length: 0...64) ?? ""
        name = try fields.text("name", length: 0...128) ?? ""
    }
}

extension Fields {
    /// Returns `adopt`: whether a login takes over the devices and data of the terminal's anonymous user.
    package func adopts() throws(Rejection) -> Bool { try bool("adopt") ?? false }

    /// Returns the required field `sessionId`.
    package func sessionID() throws(Rejection) -> SessionID { try requiredID("sessionId", as: SessionID.self) }

    /// Returns the required field `logoutCode`.
    package func logoutCode() throws(Rejection) -> String { try requiredText("logoutCode", length: 1...128) }
}
