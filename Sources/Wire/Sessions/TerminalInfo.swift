package import Domain

/// The app's description of the terminal that logs in.
package struct TerminalInfo: Sendable, Equatable {
    /// The kind of machine.
    package let platform: String
    /// Its operating system.
    package let os: String
    /// Its display name.
    package let name: String

    /// Reads `platform`, `os` and `name`; absent ones are empty.
    package init(_ fields: Fields) throws(Rejection) {
        platform = try fields.text("platform", length: 0...64) ?? ""
        os = try fields.text("os", length: 0...64) ?? ""
        name = try fields.text("name", length: 0...128) ?? ""
    }
}

extension Fields {
    /// Returns `adopt`: whether a login takes over all of the terminal's anonymous user.
    package func adopts() throws(Rejection) -> Bool { try bool("adopt") ?? false }

    /// Returns the required `logoutCode`.
    package func logoutCode() throws(Rejection) -> String { try requiredText("logoutCode", length: 1...128) }
}
