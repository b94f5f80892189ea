/// The masking of an address, so that its owner recognises it and others don't learn it.
package enum MaskedAddress {
    /// Masks all but the first letter and the domain of an e-mail address, or the last two digits
    /// of a phone number.
    package static func text(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else {
            return "•••" + address.suffix(2)
        }
        return address[..<at].prefix(1) + "•••" + address[at...]
    }

    /// Masks all but the first character of a name, or all of a name of one character.
    package static func name(_ name: String) -> String {
        name.count > 1 ? name.prefix(1) + "•••" : "•••"
    }
}
