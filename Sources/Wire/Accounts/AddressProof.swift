package import Domain

/// A code or ticket that proves that an address is the caller's.
package enum AddressProof: Sendable, Equatable {
    case code(String, token: String?)
    case ticket(String)

    /// Reads a code or a ticket, or returns nil if both are absent.
    init?(_ fields: Fields) throws(Rejection) {
        let code = try fields.text("code", length: 0...16)
        let token = try fields.text("codeToken", length: 1...64)
        let ticket = try fields.text("ticket", length: 1...256)
        switch (code, ticket) {
        case (nil, nil): return nil
        case (let code?, nil): self = .code(code, token: token)
        case (nil, let ticket?): self = .ticket(ticket)
        case (_?, _?):
            throw fields.refuse("ticket", "can't be combined with a code")
        }
    }

    /// Reads a code or a ticket, and refuses a request that contains neither.
    init(required fields: Fields) throws(Rejection) { self = try fields.required("code", AddressProof(fields)) }

    /// Reads `code` and `codeToken` for a method that accepts no ticket.
    init(code fields: Fields) throws(Rejection) {
        let code = try fields.requiredText("code", length: 0...16)
        self = .code(code, token: try fields.text("codeToken", length: 1...64))
    }
}

/// An address, with the proof that the address belongs to the caller.
///
/// `account/verifyOperation` has these parameters. `account/resetPassword` also has the new password.
package struct ProvedAddressParameters: Sendable, Equatable {
    /// The country and the region of the request.
    package let place: RequestRegion
    /// The address.
    package let address: Address
    /// The code that proves the address.
    package let proof: AddressProof

    /// Reads the country, the address, `code` and `codeToken`.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        address = try fields.address(countryCode: place.countryCode)
        proof = try AddressProof(code: fields)
    }
}

/// The parameters of `account/bindPhone` and `bindEmail`: an address and its proof.
package struct BindAddressParameters: Sendable, Equatable {
    /// The kind of an address; the raw value is the name of the request's field.
    package enum Kind: String, Sendable {
        case phone, email
    }

    /// The address.
    package let address: Address
    /// The proof of the address.
    package let proof: AddressProof

    /// Reads the address and its proof.
    ///
    /// The request's country must be in the user's region.
    package init(_ fields: Fields, _ kind: Kind, of user: User, in regions: Regions) throws(Rejection) {
        let place = try RequestRegion(fields, of: user, in: regions)
        let name = kind.rawValue
        let text = try fields.requiredText(name, length: 0...320)
        address =
            switch kind {
            case .phone: try fields.phone(text, of: name, countryCode: place.countryCode)
            case .email: try fields.email(text, of: name)
            }
        proof = try AddressProof(required: fields)
    }
}

/// The proof for `account/cancel` that the account is the caller's.
package enum CancelProof: Sendable, Equatable {
    case password(String)
    case code(String, token: String?)
    case ticket(String)

    /// Reads a password, code or ticket, or returns nil if all are absent.
    package init?(_ fields: Fields) throws(Rejection) {
        let given = ["password", "code", "ticket"].filter { fields.has($0) }
        if given.count > 1 {
            throw .invalid("params.\(given[1])", "Give only one of params.password, params.code and params.ticket.")
        }
        if let password = try fields.text("password", length: 1...512) {
            self = .password(password)
        } else if let code = try fields.text("code", length: 1...16) {
            self = .code(code, token: try fields.text("codeToken", length: 1...64))
        } else if let ticket = try fields.text("ticket", length: 1...256) {
            self = .ticket(ticket)
        } else {
            return nil
        }
    }

    /// The path of the field that contains the proof, for refusals that name this field.
    package var field: String {
        switch self {
        case .password: "params.password"
        case .code: "params.code"
        case .ticket: "params.ticket"
        }
    }
}
