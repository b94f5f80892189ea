package import Domain
import Foundation

extension PasswordRules {
    /// Checks a new password and returns the bytes to be hashed; see the form with `normalise`.
    package static func check(
        _ password: String,
        names: [String],
        field: String = "params.password"
    ) throws(Rejection) -> [UInt8] {
        try check(password, names: names, field: field, normalise: nfkc)
    }

    /// Returns the bytes of a password that is to be compared; nil when no password is that long.
    ///
    /// Every comparison of passwords goes through this, or the same password typed on another keyboard would
    /// differ.
    package static func normalised(_ password: String) -> [UInt8]? {
        normalised(password, normalise: nfkc).map { Array($0.utf8) }
    }

    private static func nfkc(_ text: String) -> String {
        // Most passwords are ASCII, of which nothing changes.
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
    }
}
