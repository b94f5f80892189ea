package import Domain
package import JSON

/// An app's own texts for messages, from `texts` in its document.
///
/// `texts.{template}.{language}` holds any of `subject`, `text` and `sms`; the service's own texts replace missing
/// ones. The language is any tag of BCP 47.
package struct AppWords {
    private let texts: JSONObject?

    /// Reads an app's document.
    package init(_ document: JSONObject) { texts = document["texts"]?.objectValue }

    /// Returns an app's own texts of a template in a language, or nil if it has none.
    package func words(_ template: OutgoingMessage.Template, _ language: LanguageTag) -> MessageText.OwnWords? {
        let languages = texts?[template.rawValue]?.objectValue?.members ?? []
        let own = languages.first { LanguageTag($0.key) == language }?.value.objectValue
        return own.map { own in
            MessageText.OwnWords(
                subject: own["subject"]?.stringValue,
                text: own["text"]?.stringValue,
                sms: own["sms"]?.stringValue
            )
        }
    }
}
