/// The title and the text of a notification in one language.
package struct NotificationText: Sendable, Equatable {
    /// The title.
    package var title: String
    /// The text.
    package var text: String

    /// Makes a text.
    package init(title: String, text: String) { (self.title, self.text) = (title, text) }

    /// Returns whether an app can have its own words for a template.
    ///
    /// A template is named after a type, or a type and a variant.
    package static func isTemplate(_ text: String) -> Bool {
        EventType.notified.contains { text == $0.rawValue || text.hasPrefix("\($0.rawValue).") }
    }

    /// A function that returns an app's words for a template and language, or nil if the app has none.
    package typealias OwnWords = (String, LanguageTag) -> MessageText.OwnWords?

    /// Returns the title and the text of a notification for a user, with all placeholders replaced.
    ///
    /// An app's own words take precedence over the service's words. A template with a variant, such as
    /// `device.alert.smoke`, takes precedence over the template `device.alert`. The subject of an app's words is
    /// used as the title.
    package static func render(
        _ type: String,
        variant: String,
        values: [String: String],
        language tag: String?,
        countryCode: String,
        own: OwnWords
    ) -> NotificationText {
        let language = Language.pick(tag: tag, countryCode: countryCode)
        let words = MessageWords.of(language)
        let templates = ["\(type).\(variant)", type]
        let tags = (tag.map(LanguageTag.choices) ?? []) + [LanguageTag(language)]
        func standard(_ part: String) -> String {
            templates.map { words.notification("\($0).\(part)") }.first { !$0.isEmpty } ?? ""
        }
        let found = templates.flatMap { template in tags.compactMap { own(template, $0) } }.first
        var values = values
        if values["name"] == "" { values["name"] = words.notification("terminal") }
        return NotificationText(
            title: MessageText.fill(found?.subject ?? standard("title"), values),
            text: MessageText.fill(found?.text ?? standard("text"), values)
        )
    }
}
