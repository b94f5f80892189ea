import Domain

/// A message without a link, which is sent to an address.
struct AddressNotice {
    var template: OutgoingMessage.Template
    var address: Address
    /// The country code of the phone number or, for an e-mail address, of the user.
    var countryCode: String
    /// The language of the message, if known.
    var language: String?
    var params: [String: String] = [:]
    /// The request whose terminal is notified of the outcome; nil if no terminal is notified.
    var origin: OutgoingMessage.Origin?
    /// The time after which the message is no longer sent; nil means one day from now.
    var expiresAt: Instant?
    /// Whether the message is never sent, although the same work is done as for a real message.
    var isDummy = false

    /// Creates a message in a user's language.
    init(_ template: OutgoingMessage.Template, to address: Address, of user: User) {
        self.template = template
        self.address = address
        countryCode = user.countryCode
        language = user.profile.language
    }

    /// Creates a message to an address that may belong to no user.
    init(_ template: OutgoingMessage.Template, to address: Address, countryCode: String, language: String?) {
        self.template = template
        self.address = address
        self.countryCode = countryCode
        self.language = language
    }
}
