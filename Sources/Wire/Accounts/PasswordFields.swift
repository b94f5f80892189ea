package import Domain

/// A password in a request, and the field that a refusal of it names.
package struct GivenPassword: Sendable, Equatable {
    /// The text, in the Unicode form received.
    package let text: String
    /// The field, such as `params.newPassword`.
    package let field: String

    private init(
        _ fields: Fields,
        _ name: String,
        length: ClosedRange<Int>
    ) throws(Rejection) {
        text = try fields.requiredText(name, length: length)
        field = "params.\(name)"
    }

    /// Reads a password that is compared.
    package init(compared fields: Fields) throws(Rejection) { try self.init(fields, "password", length: 1...1024) }

    /// Reads the password of a new user.
    package init(first fields: Fields) throws(Rejection) { try self.init(fields, "password", length: 1...4096) }

    /// Reads the `oldPassword` of a change, which is compared.
    package init(old fields: Fields) throws(Rejection) { try self.init(fields, "oldPassword", length: 1...1024) }

    /// Reads the `newPassword` of a change.
    package init(new fields: Fields) throws(Rejection) { try self.init(fields, "newPassword", length: 1...4096) }
}

/// The parameters of `account/requestPasswordReset`.
package struct PasswordResetParameters: Sendable, Equatable {
    /// The country and the region.
    package let place: RequestRegion
    /// The address that the link is sent to.
    package let email: EmailAddress

    /// Reads the country and `email`.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        email = try fields.emailAddress(fields.requiredText("email", length: 0...320), of: "email")
    }
}
