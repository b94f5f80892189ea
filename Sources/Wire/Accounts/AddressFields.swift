package import Domain

/// Functions that read users' names and addresses from the fields of a request.
extension Fields {
    /// Returns the one address in a request, which is a phone number or an e-mail address.
    func address(countryCode: String) throws(Rejection) -> Address {
        let given = try addresses(countryCode: countryCode)
        guard given.count < 2 else {
            throw refuse("email", "and params.phone can't both be given")
        }
        guard let address = given.first else { throw refuse("phone", "or params.email is missing") }
        return address
    }

    /// Returns the addresses that a request contains: a phone number, an e-mail address, both or neither.
    func addresses(countryCode: String) throws(Rejection) -> [Address] {
        var given: [Address] = []
        if let phone = try text("phone", length: 0...64) {
            given.append(try self.phone(phone, of: "phone", countryCode: countryCode))
        }
        if let email = try text("email", length: 0...320) { given.append(try self.email(email, of: "email")) }
        return given
    }

    /// Returns the one address in a request, from `phone`, `email` or `account`.
    func anyAddress(countryCode: String) throws(Rejection) -> Address {
        guard let text = try text("account", length: 0...320) else { return try address(countryCode: countryCode) }
        if let other = ["phone", "email"].first(where: has) {
            throw refuse(other, "and params.account can't both be given")
        }
        return text.contains("@")
            ? try email(text, of: "account") : try phone(text, of: "account", countryCode: countryCode)
    }

    /// Parses the text of a field as a phone number.
    func phone(
        _ text: String,
        of name: String,
        countryCode: String
    ) throws(Rejection) -> Address {
        guard let phone = Phone(text, countryCode: countryCode) else {
            throw refuse(name, "is not a phone number of country code \(countryCode)")
        }
        return .phone(phone)
    }

    /// Parses the text of a field as an e-mail address, and returns it as an `Address`.
    func email(_ text: String, of name: String) throws(Rejection) -> Address {
        .email(try emailAddress(text, of: name))
    }

    /// Parses the text of a field as an e-mail address, and returns it as an `EmailAddress`.
    func emailAddress(_ text: String, of name: String) throws(Rejection) -> EmailAddress {
        guard let email = EmailAddress(text) else {
            throw refuse(name, "is not an e-mail address")
        }
        return email
    }

    /// Returns the name of the field that identifies the account: `phone`, `email`, `username` or `account`.
    func loginField() throws(Rejection) -> String {
        let given = ["phone", "email", "username", "account"].filter { has($0) }
        guard given.count == 1 else {
            throw refuse(
                given.last ?? "account",
                "is \(given.isEmpty ? "missing" : "one too many"):" + " give one of phone, email, username and account"
            )
        }
        return given[0]
    }

    /// Returns the login name in a field.
    func loginName(of name: String, countryCode: String) throws(Rejection) -> LoginName {
        let text = try requiredText(name, length: 0...320)
        if name == "email" || (name == "account" && text.contains("@")) { return .address(try email(text, of: name)) }
        if name == "phone" || Phone.isLike(text) {
            return .address(try phone(text, of: name, countryCode: countryCode))
        }
        return .username(try Username(text, field: "params.\(name)"))
    }

    /// Returns the field `username`, or nil if it is absent.
    package func username() throws(Rejection) -> Username? {
        guard let text = try text("username", length: 0...320) else { return nil }
        return try Username(text)
    }

    /// Returns the unproven address that a user enters, or nil if the request has no address.
    ///
    /// If the request contains neither `phone` nor `countryCode`, the user's own country code is used.
    package func enteredAddress(
        of user: User,
        in regions: Regions
    ) throws(Rejection) -> Address? {
        guard has("phone") || has("email") else { return nil }
        let isOwnCountry = !has("phone") && !has("countryCode")
        let country = isOwnCountry ? user.countryCode : try RequestRegion(self, in: regions).countryCode
        return try address(countryCode: country)
    }
}
