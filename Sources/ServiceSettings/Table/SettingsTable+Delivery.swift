/// E-mails and texts.
extension SettingsTable {
    /// The routes of e-mails and texts.
    static let delivery: [Setting] = [
        Setting(
            "delivery.email",
            .choice(["auto", "gateway", "smtp", "log"]),
            standard: .text("auto")
        )
        .effect("How e-mails are sent; auto: log with `up`, otherwise gateway."),
        Setting(
            "delivery.sms",
            .choice(["auto", "gateway", "webhook", "log"]),
            standard: .text("auto")
        )
        .effect("How texts are sent; auto: log with `up`, otherwise gateway."),
        Setting("smtp.host", .text, standard: .text(""))
            .effect("Name of the mail server."),
        Setting("smtp.port", .integer(0...65535), standard: .integer(0))
            .effect("Port of the mail server; 0: 587 with STARTTLS, 465 with TLS."),
        Setting("smtp.security", .choice(["starttls", "tls", "none"]), standard: .text("starttls"))
            .effect("How the connection is secured; none is possible to this machine only."),
        Setting("smtp.from", .text, standard: .text(""))
            .effect("Address that e-mails come from."),
        Setting("smtp.username", .text, standard: .text(""))
            .effect("User at the mail server; empty: none."),
        Setting("smtp.passwordFile", .text, standard: .text(""))
            .effect("File with that user's password."),
        Setting("smtp.caFile", .text, standard: .text(""))
            .effect("CA certificates (PEM); empty: the system's."),
        NumberSetting.smtpTimeout.row,
        Setting("webhook.url", .text, standard: .text(""))
            .effect("Where texts are posted as JSON."),
        Setting("webhook.tokenFile", .text, standard: .text(""))
            .effect("File with the bearer token for the webhook; empty: none."),
    ]
}

/// Numbers that code reads by their names.
extension NumberSetting {
    static let smtpTimeout = NumberSetting("smtp.timeout", standard: 30, in: 1...300, unit: "s")
        .effect("Maximum time to send one mail; after that, it is tried again later.")
}
