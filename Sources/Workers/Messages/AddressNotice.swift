import Domain

/// A message to an address that contains no link.
struct AddressNotice {
    var template: OutgoingMessage.Template
    var address: Address
    /// The country code of a phone number; of an e-mail address, the user's.
    var countryCode: String
    /// The language, if known.
    var language: String?
    var params: [String: String] = [:]
    /// The request whose terminal gets the outcome; nil if none does.
    var origin: OutgoingMessage.Origin?
    /// The time after which it is no longer sent; nil means a day from now.
    var expiresAt: Instant?
    /// Whether nothing is sent, although the same work is done.
    var isDummy = false

    /// Addresses a message in a user's language.
    init(_ template: OutgoingMessage.Template, to address: Address, of user: User) {
        self.template = template
        self.address = address
        countryCode = user.countryCode
        language = user.profile.language
    }

    /// Addresses a message to an address that may have no user.
    init(_ template: OutgoingMessage.Template, to address: Address, countryCode: String, language: String?) {
        self.template = template
        self.address = address
        self.countryCode = countryCode
        self.language = language
    }
}
