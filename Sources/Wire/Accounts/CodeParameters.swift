package import Domain
import JSON

/// The parameters of `account/sendCode`.
package struct CodeParameters: Sendable, Equatable {
    /// The country and the region.
    package let place: RequestRegion
    /// The address to which the code is sent.
    package let address: Address
    /// The purpose of the code.
    package let purpose: CodePurpose

    /// Reads the country, the address and `purpose`, which is a word or a number.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        try self.init(fields, in: regions, byNumber: CodePurpose.requested)
    }

    fileprivate init(_ fields: Fields, in regions: Regions, byNumber: [Int64: CodePurpose]) throws(Rejection) {
        place = try RequestRegion(fields, in: regions)
        address = try fields.anyAddress(countryCode: place.countryCode)
        let value = fields.object["purpose"]
        let purpose =
            value?.stringValue.flatMap(CodePurpose.init(rawValue:)) ?? value?.intValue.flatMap { byNumber[$0] }
        guard let purpose else {
            let known = CodePurpose.allCases.map(\.rawValue).joined(separator: ", ")
            throw fields.refuse("purpose", value == nil ? "is missing" : "must be one of \(known)")
        }
        self.purpose = purpose
    }
}

/// The parameters of `account/checkCode`.
package struct CodeCheckParameters: Sendable, Equatable {
    /// The purpose of the code, and the address to which the code was sent.
    package let sent: CodeParameters
    /// The code that the user entered.
    package let proof: AddressProof

    /// Reads the country, the address, `purpose`, `code` and `codeToken`.
    package init(_ fields: Fields, in regions: Regions) throws(Rejection) {
        sent = try CodeParameters(fields, in: regions, byNumber: CodePurpose.checked)
        proof = try AddressProof(code: fields)
    }
}
