import Domain
import Providers
import Storage
import Wire

/// The country that a request about accounts names, and the region that follows from it.
struct RequestRegion {
    var countryCode: String
    var region: String

    /// Reads `countryCode` and `region`.
    init(_ call: Call) throws {
        countryCode = try Self.countryCode(call.fields)
        region = try call.environment.regions.region(
            of: countryCode,
            named: call.fields.text("region", length: 1...64)
        )
    }

    private static func countryCode(_ fields: Fields) throws -> String {
        let digits = try fields.requiredText("countryCode", length: 0...16)
        guard CountryCode.accepts(digits) else {
            throw fields.refuse("countryCode", "must be 1 to 3 digits, such as 49")
        }
        return digits
    }
}

/// The proof of an address: its code, or a ticket that was issued for a code.
enum Proof {
    case code(String, token: String?)
    case ticket(String)

    /// Reads `code` and `codeToken`, or `ticket`; nil if both are absent.
    init?(_ fields: Fields) throws {
        let code = try fields.text("code", length: 0...16)
        let token = try fields.text("codeToken", length: 1...64)
        let ticket = try fields.text("ticket", length: 1...256)
        switch (code, ticket) {
        case (nil, nil): return nil
        case (let code?, nil): self = .code(code, token: token)
        case (nil, let ticket?): self = .ticket(ticket)
        case (_?, _?):
            throw fields.refuse("ticket", "stands in place of a code, not beside it")
        }
    }

    /// Reads a required proof.
    static func required(_ fields: Fields) throws -> Proof {
        guard let proof = try Proof(fields) else { throw fields.refuse("code", "is missing") }
        return proof
    }
}

/// Reads names, addresses and passwords.
enum AccountFields {
    /// Returns the address of a request: either a phone or an e-mail.
    static func address(_ fields: Fields, _ countryCode: String) throws -> Address {
        if let address = try optionalAddress(fields, countryCode) { return address }
        throw fields.refuse("phone", "or params.email is missing")
    }

    /// Returns the address of a request, or nil.
    static func optionalAddress(_ fields: Fields, _ countryCode: String) throws -> Address? {
        let phone = try fields.text("phone", length: 0...64)
        let email = try fields.text("email", length: 0...320)
        if phone != nil, email != nil {
            throw fields.refuse("email", "and params.phone can't both be given")
        }
        if let phone {
            return .phone(try self.phone(phone, of: "phone", in: fields, countryCode: countryCode))
        }
        return try email.map { .email(try self.email($0, of: "email", in: fields)) }
    }

    static func phone(
        _ text: String,
        of name: String,
        in fields: Fields,
        countryCode: String
    ) throws -> Phone {
        guard let phone = Phone(text, countryCode: countryCode) else {
            throw fields.refuse(name, "is not a phone number of country code \(countryCode)")
        }
        return phone
    }

    static func email(_ text: String, of name: String, in fields: Fields) throws -> EmailAddress {
        guard let email = EmailAddress(text) else {
            throw fields.refuse(name, "is not an e-mail address")
        }
        return email
    }

    /// Returns the name of a login: one of phone, email, username, and account, which may be any of these.
    static func loginName(_ fields: Fields, _ countryCode: String) throws -> LoginName {
        let given = ["phone", "email", "username", "account"].filter { fields.has($0) }
        guard given.count == 1 else {
            throw fields.refuse(
                given.last ?? "account",
                "is \(given.isEmpty ? "missing" : "one too many"):"
                    + " give one of phone, email, username and account"
            )
        }
        let name = given[0]
        let text = try fields.requiredText(name, length: 0...320)
        switch name {
        case "phone": return .phone(try phone(text, of: name, in: fields, countryCode: countryCode))
        case "email": return .email(try email(text, of: name, in: fields))
        default: break
        }
        if name == "account", text.contains("@") {
            return .email(try email(text, of: name, in: fields))
        }
        if Phone.isLike(text) {
            return .phone(try phone(text, of: name, in: fields, countryCode: countryCode))
        }
        return .username(try Username(text, field: "params.\(name)"))
    }

    /// Returns the bytes of a password to be compared; none for one that no account can have.
    static func oldPassword(
        _ fields: Fields,
        _ name: String = "password"
    ) throws -> SecretBytes {
        SecretBytes(PasswordRules.normalised(try fields.requiredText(name, length: 1...1024)) ?? [])
    }

    /// Returns the bytes of a new password, after checking its rules.
    static func newPassword(
        _ fields: Fields,
        _ name: String = "password",
        names: [String]
    ) throws -> SecretBytes {
        SecretBytes(
            try PasswordRules.check(
                try fields.requiredText(name, length: 1...4096),
                names: names,
                field: "params.\(name)"
            )
        )
    }

    /// Reads the fields of a profile, whose time zone must exist.
    static func profile(_ fields: Fields) throws -> Profile {
        let profile = try ProfileCodec.decode(fields)
        if let zone = profile.timezone, !TimeZones.contains(zone) {
            throw fields.refuse("timezone", "is not an IANA time zone, such as Europe/Berlin")
        }
        return profile
    }

    /// Reads the fields of `profile`, or nil; refuses fields that profiles don't have.
    static func nestedProfile(_ fields: Fields) throws -> Profile? {
        try fields.fields("profile").map { nested in
            try ProfileCodec.checkNames(nested)
            return try profile(nested)
        }
    }

    /// Merges a request's `profile`, if any, into the user's.
    static func mergeNestedProfile(_ fields: Fields, into user: inout User) throws {
        guard let said = try nestedProfile(fields), let nested = try fields.fields("profile")
        else { return }
        try merge(said, of: nested, into: &user)
    }

    /// Merges a profile into the user's, unless the app's own data would exceed its limit.
    static func merge(_ said: Profile, of fields: Fields, into user: inout User) throws {
        var merged = user.profile
        merged.merge(said)
        try ProfileCodec.checkCustom(merged, fields)
        user.profile = merged
    }
}
