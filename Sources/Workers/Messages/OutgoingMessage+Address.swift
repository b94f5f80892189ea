import Domain

extension OutgoingMessage {
    /// Makes a message, valid for a day, to an address with or without a user.
    init(
        _ template: Template,
        to address: Address,
        countryCode: String,
        language: String?,
        app: AppID,
        in work: inout UnitOfWork
    ) {
        // A phone number contains its country code, which can differ from the user's country code.
        let phone: Phone? = if case .phone(let phone) = address { phone } else { nil }
        self.init(
            id: MessageID(trusted: work.makeID("m")),
            channel: phone == nil ? .email : .sms,
            to: phone?.national ?? address.text,
            countryCode: phone?.countryCode ?? countryCode,
            app: app,
            template: template,
            language: language,
            expiresAt: work.now.adding(seconds: 86_400)
        )
    }

    /// Makes a message in a user's language.
    init(_ template: Template, to address: Address, of user: User, in work: inout UnitOfWork) {
        let (country, language) = (user.countryCode, user.profile.language)
        self.init(template, to: address, countryCode: country, language: language, app: user.app, in: &work)
    }
}
