package import JSON

/// A text whose words and values are separate, so that the console can translate it.
///
/// The English words are in the code that creates the text. The console's file `words-zh-findings.json` maps the
/// English words to Chinese words. In the words, `{0}` is replaced by the first value.
///
/// ```swift
/// let text: FindingText = "\(used) of \(max) in use"   // words: "{0} of {1} in use"
/// ```
package struct FindingText: Sendable, Equatable, CustomStringConvertible {
    /// A value in a text: a plain string or another text.
    package enum Value: Sendable, Equatable {
        case plain(String)
        case text(FindingText)
    }

    /// The words, with placeholders such as `{0}` for the values.
    package let words: String
    /// The values.
    package let values: [Value]

    fileprivate init(words: String, values: [Value]) { (self.words, self.values) = (words, values) }

    /// Creates a text from any string; the console translates the string if it knows a translation.
    package init(verbatim text: String) { self = text.isEmpty ? "" : FindingText(words: "{0}", values: [.plain(text)]) }

    /// Creates a text that consists of several texts with a separator between them.
    package init(joining texts: [FindingText], by separator: String) {
        words = texts.indices.map { "{\($0)}" }.joined(separator: separator)
        values = texts.map { .text($0) }
    }

    /// Whether the text is empty.
    package var isEmpty: Bool { words.isEmpty }

    /// The text in English.
    package var description: String {
        var (text, rest) = ("", words[...])
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            text += rest[..<open]
            if let place = Int(rest[rest.index(after: open)..<close]), values.indices ~= place {
                text += values[place].description
            }
            rest = rest[rest.index(after: close)...]
        }
        return text + rest
    }

    /// The words and the values as JSON for the console (`FindingText` of `schemas/http`).
    package var json: JSONObject {
        var object: JSONObject = ["words": .string(words)]
        if !values.isEmpty { object["values"] = .array(values.map(\.json)) }
        return object
    }
}

extension FindingText.Value: CustomStringConvertible {
    fileprivate var json: JSONValue {
        switch self {
        case .plain(let text): .string(text)
        case .text(let text): .object(text.json)
        }
    }

    package var description: String {
        switch self {
        case .plain(let text): text
        case .text(let text): text.description
        }
    }
}

extension FindingText: ExpressibleByStringInterpolation {
    package init(stringLiteral words: String) { self.init(words: words, values: []) }

    /// Creates a text from a string literal with interpolated values.
    package init(stringInterpolation: Interpolation) {
        self.init(words: stringInterpolation.words, values: stringInterpolation.values)
    }

    /// A collector of the words and the values of a string literal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var words = ""
        fileprivate var values: [Value] = []

        /// Creates an empty interpolation.
        package init(literalCapacity _: Int, interpolationCount _: Int) {}

        /// Adds words.
        package mutating func appendLiteral(_ literal: String) { words += literal }

        /// Adds a text as a value.
        package mutating func appendInterpolation(_ text: FindingText) { append(.text(text)) }

        /// Adds a value unchanged.
        package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            append(.plain(value.description))
        }

        private mutating func append(_ value: Value) {
            words += "{\(values.count)}"
            values.append(value)
        }
    }
}
