package import Domain
package import JSON

/// An app's own texts for messages, from the member `texts` of the app's document.
///
/// `texts.{template}.{language}` can contain `subject`, `text` and `sms`. The service's own texts replace missing
/// texts. The language can be any BCP 47 tag.
package struct AppWords {
    private let texts: JSONObject?

    /// Takes the texts from an app's document.
    package init(_ document: JSONObject) { texts = document["texts"]?.objectValue }

    /// Returns an app's own texts for a template and language, or nil if the app has no such texts.
    package func words(_ template: String, _ language: LanguageTag) -> MessageText.OwnWords? {
        let languages = texts?[template]?.objectValue?.members ?? []
        let own = languages.first { LanguageTag($0.key) == language }?.value.objectValue
        func word(_ name: String) -> String? { own?[name]?.stringValue }
        return own.map { _ in .init(subject: word("subject"), text: word("text"), sms: word("sms")) }
    }
}
