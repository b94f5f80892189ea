package import Domain
package import JSON

/// An app's own texts for messages, from `texts` in its document.
///
/// `texts.{template}.{language}` holds any of `subject`, `text` and `sms`; the service's own texts replace missing
/// ones.
package struct AppWords {
    private let texts: JSONObject?

    /// Reads an app's document.
    package init(_ document: JSONObject) { texts = document["texts"]?.objectValue }

    /// Returns the texts of a template; nil if the app has none of its own.
    package func words(
        _ template: OutgoingMessage.Template,
        _ language: Language
    ) -> MessageText.Words? {
        let own = texts?[template.rawValue]?.objectValue?[language.rawValue]?.objectValue
        guard let own else { return nil }
        var words = MessageText.standard(template, in: language)
        if let subject = own["subject"]?.stringValue { words.subject = subject }
        if let text = own["text"]?.stringValue { words.text = text }
        if let sms = own["sms"]?.stringValue { words.sms = sms }
        return words
    }
}
