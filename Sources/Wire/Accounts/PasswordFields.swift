package import Domain

/// A password in a request, and the path of its field, which a refusal names.
package struct GivenPassword: Sendable, Equatable {
    /// The password exactly as the client sent it, without Unicode normalisation.
    package let text: String
    /// The path of the field, such as `params.newPassword`.
    package let field: String

    private init(
        _ fields: Fields,
        _ name: String,
        length: ClosedRange<Int>
    ) throws(Rejection) {
        text = try fields.requiredText(name, length: length)
        field = "params.\(name)"
    }

    /// Reads `password`, which will be compared with the user's password.
    package init(compared fields: Fields) throws(Rejection) { try self.init(fields, "password", length: 1...1024) }

    /// Reads `password`, the password of a new user.
    package init(first fields: Fields) throws(Rejection) { try self.init(fields, "password", length: 1...4096) }

    /// Reads the `oldPassword` of a change, which will be compared with the user's password.
    package init(old fields: Fields) throws(Rejection) { try self.init(fields, "oldPassword", length: 1...1024) }

    /// Reads the `newPassword` of a change.
    package init(new fields: Fields) throws(Rejection) { try self.init(fields, "newPassword", length: 1...4096) }
}

/// The parameters of `account/requestPasswordReset`.
package struct PasswordResetParameters: Sendable, Equatable {
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The address to which the reset link is sent.
    package let email: EmailAddress

    /// Reads the country and `email`.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        email = try fields.emailAddress(fields.requiredText("email", length: 0...320), of: "email")
    }
}
