import Domain
import Providers
import Wire

extension SecretBytes {
    /// Takes the bytes of a password to compare; they are empty if no account can have it.
    convenience init(compared password: GivenPassword) { self.init(PasswordRules.normalised(password.text) ?? []) }

    /// Takes the bytes of a new password, after checking its rules; it can't be one of the names.
    convenience init(new password: GivenPassword, names: [String]) throws(Rejection) {
        self.init(
            try PasswordRules.check(password.text, names: names, field: password.field)
        )
    }
}
