import Testing

@testable import Domain

@Suite("Texts of messages")
struct MessageTextTests {
    struct Case: CustomTestStringConvertible, Sendable {
        var tag: String?
        var countryCode: String?
        var language: Language
        var testDescription: String { "\(tag ?? "none") \(countryCode ?? "none")" }
    }

    @Test(
        "The user's language is used if the service has it, otherwise the country's",
        arguments: [
            Case(tag: "zh-Hans-CN", countryCode: "49", language: .chinese),
            Case(tag: "en_GB", countryCode: "86", language: .english),
            Case(tag: "fr", countryCode: "86", language: .chinese),
            Case(tag: "fr", countryCode: "33", language: .english), Case(countryCode: "86", language: .chinese),
            Case(countryCode: "852", language: .chinese), Case(countryCode: "853", language: .chinese),
            Case(countryCode: "886", language: .chinese), Case(countryCode: "8", language: .english),
            Case(tag: "", countryCode: nil, language: .english),
        ]
    )
    func language(_ row: Case) {
        #expect(Language.pick(tag: row.tag, countryCode: row.countryCode) == row.language)
    }

    @Test(
        "A browser gets its most preferred available language",
        arguments: [
            ("zh-CN,zh;q=0.9,en;q=0.8", Language.chinese), ("en;q=0.5, zh;q=0.7", .chinese), ("fr, en;q=0.1", .english),
            ("zh;q=0, en", .english), ("*", nil), ("", nil), ("zh,en", .chinese), ("en, zh", .english), (";;,=,q", nil),
            ("en;q=x", nil),
        ]
    )
    func browser(_ header: String, _ language: Language?) {
        #expect(Language.pick(acceptLanguage: header) == language)
    }

    static func message(
        _ template: OutgoingMessage.Template,
        _ params: [String: String] = [:],
        language: String = "en"
    ) -> OutgoingMessage {
        OutgoingMessage(
            id: MessageID(trusted: "m"),
            channel: .email,
            to: "a@example.org",
            app: AppID(trusted: "demo"),
            template: template,
            params: params,
            language: language,
            expiresAt: Instant(milliseconds: 0)
        )
    }

    static let params = [
        "code": "123456", "purpose": "login", "minutes": "10", "hours": "24", "days": "7",
        "url": "https://example.org/link/abc?a=1&b=2", "address": "n•••@example.org",
    ]

    @Test("Each template is complete in each language", arguments: OutgoingMessage.Template.worded) func whole(
        _ template: OutgoingMessage.Template
    ) {
        for language in Language.allCases {
            let text = MessageText.render(
                Self.message(template, Self.params, language: language.rawValue),
                appName: "Lamps & <Co>"
            )
            for part in [text.subject, text.text, text.html, text.sms] {
                #expect(!part.isEmpty)
                #expect(!part.contains("{"))
            }
            #expect(text.subject.contains("Lamps & <Co>"))
            #expect(!text.html.contains("<Co>"))
            #expect(text.html.contains("lang=\"\(language.rawValue)\""))
            let wanted = MessageText.standard(template, in: language).text
            for name in ["code", "url", "address"] where wanted.contains("{\(name)}") {
                #expect(text.text.contains(Self.params[name] ?? "?"))
            }
        }
    }

    @Test("Each purpose has its own text in each language")
    func purposes() {
        let purposes = [
            "login", "register", "resetPassword", "bind", "logoutTerminal", "operation",
        ]
        for language in ["en", "zh"] {
            let texts = purposes.map { purpose in
                MessageText.render(Self.message(.code, ["purpose": purpose], language: language), appName: "A").text
            }
            #expect(Set(texts).count == purposes.count)
        }
    }

    @Test("An app's own texts are used, and values can't inject anything")
    func own() {
        let message = Self.message(.code, ["code": "{app}<b>", "purpose": "login"])

        let text = MessageText.render(message, appName: "A\r\nBcc: x") { _, _ in
            MessageText.OwnWords(subject: "{app}: {code}{nothing} { {1}", text: "Hi <you>\n\n{code}", sms: "{code}")
        }

        #expect(text.subject == "A Bcc: x: {app}<b> { {1}")
        #expect(text.text == "Hi <you>\n\n{app}<b>")
        #expect(text.html.contains("Hi &lt;you&gt;"))
        #expect(text.html.contains("{app}&lt;b&gt;"))
        #expect(text.sms == "{app}<b>")
    }

    @Test(
        "An app's own text is chosen by the exact tag, then by the language, and then by the service's rule",
        arguments: [
            ("pt-BR", "pt-br"), ("pt_BR", "pt-br"), ("PT", "pt"), ("pt-PT", "pt"), ("de-AT", "de"), ("fr", "en"),
            ("zh-Hant-TW", "zh"), ("", "en"), ("?", "en"),
        ]
    )
    func ownLanguage(_ tag: String, _ wanted: String) {
        let has = ["pt-BR", "pt", "de"].compactMap(LanguageTag.init)
        let message = Self.message(.verifyEmail, Self.params, language: tag)
        let text = MessageText.render(message, appName: "A") { _, tag in
            has.contains(tag) ? .init(subject: "in \(tag.key)", text: "{url}") : nil
        }
        #expect(text.language == wanted)
        #expect(text.subject.hasPrefix("in ") == (wanted != "en" && wanted != "zh"))
        #expect(text.html.contains("lang=\"\(wanted)\""))
        #expect(!text.sms.isEmpty, "the service's, where the app has none")
        let isOnButton = text.html.contains(">in \(wanted)</a>")
        #expect(isOnButton == (wanted != "en" && wanted != "zh"))
    }

    @Test(
        "A language tag is well-formed",
        arguments: [
            ("de", true), ("pt-BR", true), ("zh-Hant-TW", true), ("es-419", true),
            ("sl-rozaj", true),
            ("de-1996", true), ("zh-yue-HK", true), ("en-u-ca-gregory", true), ("de-x-sie", true),
            ("pt_BR", false), ("d", false), ("de-", false), ("-de", false), ("de--AT", false),
            ("de-u", false), ("german language", false), ("de-abcdefghi", false), ("d3", false),
            ("", false), ("dé", false),
        ]
    )
    func tags(_ text: String, _ isGood: Bool) {
        #expect((LanguageTag(text) != nil) == isGood)
    }

    @Test(
        "A masked address is recognizable only to its owner",
        arguments: [
            ("nora@example.org", "n•••@example.org"), ("@x", "•••@x"), ("15112345678", "•••78"),
            ("", "•••"),
        ]
    )
    func masked(_ address: String, _ shown: String) {
        #expect(MaskedAddress.text(address) == shown)
    }
}
