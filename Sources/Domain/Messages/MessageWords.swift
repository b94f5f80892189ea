/// The texts of the service's own messages in one language, from the file `Texts/messages.LANGUAGE.txt`.
///
/// A section of the file begins with its name in brackets. After the name come lines of the form `key: value`, a
/// blank line and the section's text.
struct MessageWords: Sendable {
    private struct Section {
        var values: [String: String] = [:]
        var text = ""
    }

    private let sections: [String: Section]

    private static let all = Dictionary(uniqueKeysWithValues: Language.allCases.map { ($0, MessageWords($0)) })

    /// Returns the words of a language.
    static func of(_ language: Language) -> MessageWords {
        all[language] ?? MessageWords(language)
    }

    private init(_ language: Language) {
        let file = EmbeddedTexts.file("messages.\(language.rawValue).txt").description
        sections = file.split(separator: "\n[").dropFirst().reduce(into: [:]) { sections, part in
            let pieces = part.split(separator: "\n\n", maxSplits: 1)
            let lines = (pieces.first ?? "").split(separator: "\n")
            var section = Section()
            for line in lines.dropFirst() {
                let pair = line.split(separator: ": ", maxSplits: 1)
                if pair.count == 2 { section.values[String(pair[0])] = String(pair[1]) }
            }
            if pieces.count == 2 {
                section.text = String(pieces[1])
                if section.text.hasSuffix("\n") { section.text.removeLast() }
            }
            sections[lines.first.map { String($0.dropLast()) } ?? ""] = section
        }
    }

    /// Returns the words of a template.
    func template(_ template: OutgoingMessage.Template) -> MessageText.Words {
        let section = sections[template.rawValue] ?? Section()
        return MessageText.Words(
            subject: section.values["subject"] ?? "",
            text: section.text,
            sms: section.values["sms"] ?? ""
        )
    }

    /// Returns the purpose of a code in words, such as "log in" for the phrase "your code to log in".
    func action(_ purpose: String) -> String { value(purpose, in: "actions") }

    /// Returns the caption of a link's button.
    func button(_ template: OutgoingMessage.Template) -> String { value(template.rawValue, in: "buttons") }

    /// Returns a notification's title or text, or an empty string for an unknown key.
    func notification(_ key: String) -> String { value(key, in: "notifications") }

    private func value(_ key: String, in section: String) -> String {
        let values = sections[section]?.values
        return values?[key] ?? values?["other"] ?? ""
    }
}
