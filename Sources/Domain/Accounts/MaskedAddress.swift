/// Masks an address: its owner still recognises it, others don't learn it.
package enum MaskedAddress {
    /// Returns the first letter and the domain of an e-mail address, the last two digits of a phone number.
    package static func text(_ address: String) -> String {
        guard let at = address.lastIndex(of: "@") else {
            return "•••" + address.suffix(2)
        }
        return address[..<at].prefix(1) + "•••" + address[at...]
    }

    /// Returns the first character of a name that has more of them.
    package static func name(_ name: String) -> String {
        name.count > 1 ? name.prefix(1) + "•••" : "•••"
    }
}
