package import Domain
import Foundation

extension PasswordRules {
    /// Checks a new password and returns the bytes to hash; see the overload with `normalise`.
    package static func check(
        _ password: String,
        names: [String],
        field: String = "params.password"
    ) throws(Rejection) -> [UInt8] { try check(password, names: names, field: field, normalise: nfkc) }

    /// Returns the bytes of a password to compare; nil if no password can be that long.
    ///
    /// Every comparison uses this: otherwise another keyboard could type a different password.
    package static func normalised(_ password: String) -> [UInt8]? {
        normalised(password, normalise: nfkc).map { Array($0.utf8) }
    }

    private static func nfkc(_ text: String) -> String {
        // Most passwords are ASCII, which doesn't change.
        text.utf8.allSatisfy { $0 < 0x80 } ? text : text.precomposedStringWithCompatibilityMapping
    }
}
