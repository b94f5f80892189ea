import Logging

/// A log handler that writes lines with time, level, message, and `key=value` pairs sorted by key.
struct CompactLogHandler: LineLogHandler {
    var ownLevel: Logger.Level
    var metadata: Logger.Metadata = [:]
    var metadataProvider: Logger.MetadataProvider?

    func line(for event: LogEvent, at time: String) -> [UInt8] {
        var line = "\(time) \(Self.word(event.level)) \(Self.plain("\(event.message)"))"
        for (key, value) in values(of: event) { line += " \(key)=\(Self.quoted("\(value)"))" }
        return Array(line.utf8)
    }

    private static func word(_ level: Logger.Level) -> String {
        let word = level.rawValue
        return word + String(repeating: " ", count: max(0, 7 - word.count))
    }

    /// Replaces control characters by spaces, so that values can't begin lines or control the terminal.
    private static func plain(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: breaksLine) else { return text }
        return String(String.UnicodeScalarView(text.unicodeScalars.map { breaksLine($0) ? " " : $0 }))
    }

    private static func breaksLine(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<32, 127..<160, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Returns a value, quoted if it is empty or could be read as several values.
    ///
    /// The method compares Unicode scalars instead of characters. To Swift, a quotation mark with a combining accent is
    /// a single character, which differs from a quotation mark. Programs that read the log see a quotation mark there.
    static func quoted(_ text: String) -> String {
        let text = plain(LogText.cut(text))
        let isPlain = !text.unicodeScalars.contains { $0 == " " || $0 == "\"" || $0 == "=" }
        guard text.isEmpty || !isPlain else { return text }
        var quoted = String.UnicodeScalarView("\"".unicodeScalars)
        for scalar in text.unicodeScalars {
            if scalar == "\\" || scalar == "\"" { quoted.append("\\") }
            quoted.append(scalar)
        }
        quoted.append("\"")
        return String(quoted)
    }
}
