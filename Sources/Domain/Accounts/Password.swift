/// The rules that a password must meet before it is hashed.
///
/// Passwords are compared and hashed in the Unicode form NFKC. Thus, different keyboards give the same password. The
/// standard library can't produce NFKC, so callers pass a function `normalise` that produces this form. The module
/// `Providers` adds methods without this parameter. The documentation describes the rules for passwords (reference:
/// accounts#passwords).
package enum PasswordRules {
    /// The allowed length of a password, in characters (Unicode scalars of the normalised form).
    package static let length = 8...128
    /// The maximum number of scalars before normalisation.
    ///
    /// This is four times the maximum length, because NFKC seldom merges more than four scalars into one.
    package static let scalarsMax = 512

    /// Checks a new password and returns the bytes to be hashed.
    ///
    /// `names` are the account's own names, such as its username, e-mail address and phone number. `normalise` returns
    /// a string's NFKC form.
    ///
    /// - Throws: `Rejection` with `PolicyRejected`, or with `InvalidRequest` for a password that is too long.
    package static func check(
        _ password: String,
        names: [String],
        field: String,
        normalise: (String) -> String
    ) throws(Rejection) -> [UInt8] {
        guard let text = normalised(password, normalise: normalise) else {
            throw .invalid(field, "A password has at most \(length.upperBound) characters.")
        }
        guard text.unicodeScalars.count >= length.lowerBound else {
            throw weak(field, "A password has at least \(length.lowerBound) characters.")
        }
        guard !CommonPasswords.contains(text) else {
            throw weak(field, "This password is one of the first that attackers try; choose another.")
        }
        let lower = text.lowercased()
        let own = names.flatMap { ownForms(of: normalise($0).lowercased()) }
        guard !own.contains(lower) else { throw weak(field, "The account's own name can't be its password.") }
        return Array(text.utf8)
    }

    /// Returns a password's normal form for hashing and comparison, or nil if the password is too long.
    package static func normalised(_ password: String, normalise: (String) -> String) -> String? {
        guard password.unicodeScalars.count <= scalarsMax else { return nil }
        let text = normalise(password)
        return text.unicodeScalars.count <= length.upperBound ? text : nil
    }

    /// Returns three forms of a name: unchanged, cut before the first @, and without a phone number's punctuation.
    private static func ownForms(of name: String) -> [String] {
        let local = name.split(separator: "@").first.map(String.init) ?? name
        let digits = String(name.filter { !"+- ()".contains($0) })
        return [name, local, digits]
    }

    private static func weak(_ field: String, _ message: String) -> Rejection {
        Rejection(.policyRejected, message, field: field)
    }
}
