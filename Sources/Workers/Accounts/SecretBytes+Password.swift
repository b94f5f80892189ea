import Domain
import Providers
import Wire

extension SecretBytes {
    /// Creates the bytes of a password to compare, which are empty if no account can have the password.
    convenience init(compared password: GivenPassword) { self.init(PasswordRules.normalised(password.text) ?? []) }

    /// Checks a new password, which must not be in `names`, and creates its bytes.
    convenience init(new password: GivenPassword, names: [String]) throws(Rejection) {
        self.init(
            try PasswordRules.check(password.text, names: names, field: password.field)
        )
    }
}
