/// The text of an e-mail or a text message.
package struct MessageText: Sendable, Equatable {
    /// The tag of the language in which the text is written.
    package var language: String
    /// The subject of an e-mail.
    package var subject: String
    /// The plain text of an e-mail.
    package var text: String
    /// The text of an e-mail as HTML.
    package var html: String
    /// The text of a text message.
    package var sms: String

    /// A template's subject and texts, which can contain placeholders such as `{app}` or `{code}`.
    package struct Words: Sendable, Equatable {
        /// The subject of an e-mail.
        package var subject: String
        /// The text of an e-mail, in paragraphs separated by blank lines.
        ///
        /// In HTML, the paragraph `{code}` has a large font. The paragraph `{url}` becomes a button.
        package var text: String
        /// The text of a text message.
        package var sms: String
    }

    /// An app's own subject and texts for a template in one language, all of them optional.
    package struct OwnWords: Sendable, Equatable {
        /// The subject.
        package var subject: String?
        /// The app's text of an e-mail.
        package var text: String?
        /// The text of a text message.
        package var sms: String?

        /// Makes an app's own subject and texts.
        package init(subject: String? = nil, text: String? = nil, sms: String? = nil) {
            (self.subject, self.text, self.sms) = (subject, text, sms)
        }

        /// Returns the app's own words, with missing parts taken from `words`.
        func over(_ words: Words) -> Words {
            Words(subject: subject ?? words.subject, text: text ?? words.text, sms: sms ?? words.sms)
        }
    }

    /// Returns the text of a message, in the app's own words if the app has any.
    ///
    /// The function `words` returns the app's own words for a template and a language, or nil if the app has none. The
    /// app's words are looked up in the user's language, then in the language of the service's own text.
    package static func render(
        _ message: OutgoingMessage,
        appName: String,
        words: (OutgoingMessage.Template, LanguageTag) -> OwnWords? = { _, _ in nil }
    ) -> MessageText {
        let language = Language.pick(tag: message.language, countryCode: message.countryCode)
        let service = MessageWords.of(language)
        let standard = service.template(message.template)
        let tags = (message.language.map(LanguageTag.choices) ?? []) + [LanguageTag(language)]
        let tag = tags.first { words(message.template, $0) != nil } ?? LanguageTag(language)
        let found = words(message.template, tag)?.over(standard) ?? standard
        var values = message.params
        values["app"] = appName
        values["action"] = service.action(message.params["purpose"] ?? "")
        values["button"] = service.button(message.template)
        let subject = oneLine(fill(found.subject, values))
        // In an unsupported language, the service has no button caption. The button then shows the subject.
        if Language(tag: tag.key) == nil { values["button"] = subject }
        return MessageText(
            language: tag.key,
            subject: subject,
            text: fill(found.text, values),
            html: html(found, values, language: tag.key, appName: appName),
            sms: oneLine(fill(found.sms, values))
        )
    }

    /// Returns the service's own words for a template in a language.
    package static func standard(_ template: OutgoingMessage.Template, in language: Language) -> Words {
        MessageWords.of(language).template(template)
    }

    // MARK: Filling in

    /// Replaces each placeholder with its value, and removes a placeholder without a value.
    ///
    /// Placeholders in values aren't replaced.
    package static func fill(_ pattern: String, _ values: [String: String]) -> String {
        var filled = ""
        var rest = pattern[...]
        while let open = rest.firstIndex(of: "{") {
            filled += rest[..<open]
            let name = rest[rest.index(after: open)...].prefix { $0.isASCII && $0.isLetter }
            guard !name.isEmpty, name.endIndex < rest.endIndex, rest[name.endIndex] == "}" else {
                filled += "{"
                rest = rest[rest.index(after: open)...]
                continue
            }
            filled += values[String(name)] ?? ""
            rest = rest[rest.index(after: name.endIndex)...]
        }
        return filled + rest
    }

    private static func oneLine(_ text: String) -> String { String(text.map { $0.isNewline || $0 == "\t" ? " " : $0 }) }

    // MARK: HTML

    private static func html(_ words: Words, _ values: [String: String], language: String, appName: String) -> String {
        let safe = values.mapValues(HTML.escape)
        let paragraphs = words.text.split(separator: "\n\n").map { paragraph in
            switch paragraph {
            case "{code}": fill(codeHTML, safe)
            case "{url}": fill(buttonHTML, safe)
            default:
                "<p>"
                    + fill(HTML.escape(String(paragraph)), safe)
                    .replacing("\n", with: "<br>\n") + "</p>"
            }
        }
        return fill(
            EmbeddedTexts.file("message.html").description,
            [
                "language": language, "app": HTML.escape(appName), "paragraphs": paragraphs.joined(separator: "\n"),
            ]
        )
    }

    private static let codeHTML = """
        <p style="font-size:32px;letter-spacing:6px;font-weight:bold;margin:24px 0">{code}</p>
        """

    private static let buttonHTML = """
        <p style="margin:24px 0"><a href="{url}" style="display:inline-block;padding:12px 20px;\
        background:#1f5fae;color:#ffffff;text-decoration:none;border-radius:6px">{button}</a></p>
        <p style="font-size:14px;color:#4a5663;word-break:break-all">{url}</p>
        """
}

/// The escaping of text in HTML.
package enum HTML {
    /// Escapes the characters that have a special meaning in HTML text or in quoted attributes.
    package static func escape(_ text: String) -> String {
        var escaped = ""
        escaped.reserveCapacity(text.utf8.count)
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
