/// E-mails and texts.
extension SettingsTable {
    /// Their routes.
    static let delivery: [Setting] = [
        Setting(
            "delivery.email",
            .choice(["auto", "gateway", "smtp", "log"]),
            .text("auto"),
            "How e-mails leave; auto: log with `up`, else gateway."
        ),
        Setting(
            "delivery.sms",
            .choice(["auto", "gateway", "webhook", "log"]),
            .text("auto"),
            "How texts leave; auto: log with `up`, else gateway."
        ),
        Setting("smtp.host", .text, .text(""), "Name of the mail server."),
        Setting(
            "smtp.port",
            .integer(0...65535),
            .integer(0),
            "Port of the mail server; 0: 587 with STARTTLS, 465 with TLS."
        ),
        Setting(
            "smtp.security",
            .choice(["starttls", "tls", "none"]),
            .text("starttls"),
            "How the connection is secured; none to this machine only."
        ),
        Setting("smtp.from", .text, .text(""), "Address that e-mails come from."),
        Setting("smtp.username", .text, .text(""), "User at the mail server; empty: none."),
        Setting("smtp.passwordFile", .text, .text(""), "File with that user's password."),
        Setting("smtp.caFile", .text, .text(""), "CA certificates (PEM); empty: the system's."),
        Setting(
            "smtp.timeout",
            .integer(1...300),
            .integer(30),
            unit: "s",
            "Time that sending one mail may take; then it is tried again later."
        ),
        Setting("webhook.url", .text, .text(""), "Where texts are posted as JSON."),
        Setting(
            "webhook.tokenFile",
            .text,
            .text(""),
            "File with the bearer token for the webhook; empty: none."
        ),
    ]
}
