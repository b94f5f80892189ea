import Foundation

/// A name that a user chose to log in with, compared without regard to case.
///
/// It never reads as a phone number: it could be somebody else's, who would be locked out or taken
/// for another. It may be an e-mail address, but gives no right to it: whoever has the address goes
/// first where it stands for an account, gets the mails that go to it, and takes it away by proving
/// it.
package struct Username: Hashable, Sendable {
    /// The name as it was chosen.
    package let text: String
    /// What two spellings of one name have in common.
    package let key: String

    /// Checks a name that somebody wants.
    ///
    /// - Throws: `Rejection` that says what is wrong with it.
    package init(_ text: String, field: String = "params.username") throws(Rejection) {
        guard (1...64).contains(text.unicodeScalars.count),
            text.unicodeScalars.allSatisfy(Self.isVisible), text.first != " ", text.last != " "
        else {
            throw .invalid(
                field,
                "A username has 1 to 64 visible characters and no space at its ends."
            )
        }
        let key = Self.key(of: text)
        guard !key.isEmpty, !Phone.isLike(key) else {
            throw .invalid(field, "A username can't look like a phone number.")
        }
        guard !key.contains("@") || EmailAddress(text)?.key == key else {
            throw .invalid(field, "A username with an @ must be an e-mail address.")
        }
        self.text = text
        self.key = key
    }

    /// The name in one Unicode form and case: what looks the same is the same.
    private static func key(of text: String) -> String {
        text.utf8.allSatisfy { $0 < 0x80 }
            ? text.lowercased() : text.precomposedStringWithCompatibilityMapping.lowercased()
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar == " " { return true }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .surrogate,
            .privateUse, .unassigned:
            false
        default: true
        }
    }
}
