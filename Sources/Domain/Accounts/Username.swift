import Foundation

/// A name that a user chose to log in with, compared without regard to case.
///
/// A username must not look like a phone number. Otherwise, the owner of that phone number could be locked out or
/// mistaken for this user. A string of up to six digits counts as a name. To log in with such a short phone number,
/// users write it in E.164. A username can be an e-mail address, but gives the user no right to the address. If another
/// account has the address, that account takes precedence in password resets with the address. When the other account
/// verifies the address, the username is removed.
package struct Username: Hashable, Sendable {
    /// The name as the user chose it.
    package let text: String
    /// The normalised name, which is equal for all spellings of one name.
    package let key: String
    /// The name as an e-mail address, or nil if the name isn't an e-mail address.
    package let email: EmailAddress?

    /// Checks a requested name; throws a `Rejection` that describes the fault.
    package init(_ text: String, field: String = "params.username") throws(Rejection) {
        guard (1...64).contains(text.unicodeScalars.count), text.unicodeScalars.allSatisfy(Self.isVisible),
            text.first != " ", text.last != " "
        else { throw .invalid(field, "A username has 1 to 64 visible characters and no space at its ends.") }
        let key = Self.key(of: text)
        email = EmailAddress(text)
        guard !key.isEmpty, !Phone.isLike(key) else {
            throw .invalid(field, "A username can't look like a phone number.")
        }
        guard !key.contains("@") || email != nil else {
            throw .invalid(field, "A username with an @ must be an e-mail address.")
        }
        self.text = text
        self.key = email?.key ?? key
    }

    /// Returns the name in one Unicode form and case, for comparisons.
    private static func key(of text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text.lowercased() : text.precomposedStringWithCompatibilityMapping.lowercased()
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == " " { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate, .privateUse,
            .unassigned:
            false
        default: true
        }
    }
}
