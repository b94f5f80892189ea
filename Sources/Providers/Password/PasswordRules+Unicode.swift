package import Domain
import Foundation

extension PasswordRules {
    /// Checks a new password, with NFKC as the normalisation, and returns the bytes to hash.
    package static func check(
        _ password: String,
        names: [String],
        field: String = "params.password"
    ) throws(Rejection) -> [UInt8] { try check(password, names: names, field: field, normalise: nfkc) }

    /// Returns a password's bytes for comparisons, or nil if the password is too long.
    ///
    /// Every comparison uses this form, because keyboards can produce the same password in different forms.
    package static func normalised(_ password: String) -> [UInt8]? {
        normalised(password, normalise: nfkc).map { Array($0.utf8) }
    }

    private static func nfkc(_ text: String) -> String {
        // Most passwords are ASCII, which NFKC doesn't change.
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
    }
}
