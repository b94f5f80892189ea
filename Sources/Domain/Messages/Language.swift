/// A language in which the service's messages and pages are written.
package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh"

    /// The country codes with Chinese as the default language: mainland, Hong Kong, Macau and Taiwan.
    private static let chineseCountries: Set = ["86", "852", "853", "886"]

    /// Returns the user's language if supported, or else the default of the user's country.
    package static func pick(tag: String?, countryCode: String?) -> Language {
        if let language = tag.flatMap(Language.init(tag:)) { return language }
        return chineseCountries.contains(countryCode ?? "") ? .chinese : .english
    }

    /// Returns the supported language that a browser prefers (`Accept-Language`), if any.
    package static func pick(acceptLanguage header: String) -> Language? {
        let ranges = header.split(separator: ",").prefix(32).enumerated().compactMap {
            index,
            range -> (language: Language, quality: Double, index: Int)? in
            let parts = range.split(separator: ";")
            guard let tag = parts.first.map(trimmed), let language = Language(tag: tag)
            else { return nil }
            let quality = parts.dropFirst().map(trimmed).first { $0.hasPrefix("q=") }
            let value = quality.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            return value > 0 ? (language, value, index) : nil
        }
        return ranges.min { ($1.quality, $0.index) < ($0.quality, $1.index) }?.language
    }

    /// Parses a tag (`zh-Hans-CN` or `en_GB`), or returns nil for an unsupported language.
    package init?(tag: String) {
        let primary = tag.lowercased().split { $0 == "-" || $0 == "_" }.first
        guard let primary, let language = Language(rawValue: String(primary)) else { return nil }
        self = language
    }

    private static func trimmed(_ text: some StringProtocol) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
