import Domain

extension Setting {
    /// Parses a flag or environment variable, or returns nil for the wrong kind of value.
    func parse(_ text: String) -> SettingValue? {
        switch kind {
        case .text, .choice, .duration: .text(text)
        case .integer: Int(text).map(SettingValue.integer)
        case .flag:
            ["true", "yes", "1"].contains(text)
                ? .flag(true)
                : ["false", "no", "0"].contains(text) ? .flag(false) : nil
        case .choices: .list(Self.items(text))
        }
    }

    /// Splits a string such as `a, b` into its words.
    static func items(_ text: String) -> [String] {
        text.split(separator: ",").map { $0.filter { !$0.isWhitespace } }.filter { !$0.isEmpty }
    }

    /// Returns which rule is violated by a value of the right kind, or nil if the value is valid.
    func objection(to value: SettingValue) -> String? {
        switch (kind, value) {
        case (.integer(let bounds), .integer(let number)) where !bounds.contains(number):
            "must lie between \(bounds.lowerBound) and \(bounds.upperBound)"
        case (.duration(let bounds), .text(let text)):
            Self.seconds(text).map(bounds.contains) == true
                ? nil
                : "must be a time from \(Self.time(bounds.lowerBound)) to \(Self.time(bounds.upperBound))"
                    + ", such as 12h or 1d"
        case (.choice(let words), .text(let word)) where !words.contains(word):
            "must be one of " + words.joined(separator: ", ") + hint(word, words)
        case (.choices(let words), .list(let items)): objection(to: items, among: words)
        case (.text, .text(let text)) where text.unicodeScalars.contains { $0.value < 32 }:
            // The service can write this text to the broker's configuration. A control character could begin another
            // line there.
            "must not contain control characters"
        case (.text, .text(let text)) where key == "root" && !Self.isTopic(text):
            "must be levels of a topic, such as ll/v1, without + # $ and without empty levels"
        case (.text, .text(let text)) where key == "mqtt.webSocketOrigins":
            Self.items(text).compactMap(Self.objection(toOrigin:)).first
        case (.text, .text(let text)) where key == "outbound.privateTargets":
            OutboundRule.objection(to: text)
        default: nil
        }
    }

    /// Returns the number of seconds in a time such as `90s`, `30m`, `12h` or `1d`, or nil for other text.
    static func seconds(_ text: String) -> Int? {
        guard let unit = text.last, let seconds = units.first(where: { $0.name == unit })?.seconds,
            let count = Int(text.dropLast()), count >= 0
        else { return nil }
        let (product, isTooMuch) = count.multipliedReportingOverflow(by: seconds)
        return isTooMuch ? nil : product
    }

    /// Returns a number of seconds as text in the largest unit that gives a whole number.
    static func time(_ seconds: Int) -> String {
        let unit = units.first { seconds % $0.seconds == 0 } ?? ("s", 1)
        return "\(seconds / unit.seconds)\(unit.name)"
    }

    private static let units: [(name: Character, seconds: Int)] = [("d", 86_400), ("h", 3600), ("m", 60), ("s", 1)]

    private static func isTopic(_ text: String) -> Bool {
        !text.contains { "+#$".contains($0) }
            && text.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { !$0.isEmpty }
    }

    /// Returns why a web page's origin is invalid, with advice, or nil if the origin is valid.
    ///
    /// Browsers send an origin as `scheme://host:port`, so an origin in any other form would never match.
    private static func objection(toOrigin origin: String) -> String? {
        guard origin != "*", origin != "null" else { return nil }
        guard let scheme = origin.firstRange(of: "://"), scheme.lowerBound > origin.startIndex else {
            return "must name the scheme of \(origin): write https://\(origin)"
        }
        let host = origin[scheme.upperBound...].prefix { !"/?#".contains($0) }
        guard !host.isEmpty else { return "must name a host in \(origin), such as https://app.example.com" }
        let rest = origin[host.endIndex...]
        guard rest.isEmpty || rest == "/" else {
            return "must have no path: write \(origin[..<host.endIndex]) instead of \(origin)"
        }
        return nil
    }

    private func objection(to items: [String], among words: [String]) -> String? {
        if items.isEmpty { return "must name at least one of " + words.joined(separator: ", ") }
        if Set(items).count != items.count { return "must name each only once" }
        guard let odd = items.first(where: { !words.contains($0) }) else { return nil }
        return "may contain " + words.joined(separator: ", ") + ", not \(odd)" + hint(odd, words)
    }

    private func hint(_ word: String, _ words: [String]) -> String {
        Suggestion.nearest(to: word, among: words).map { " (did you mean \($0)?)" } ?? ""
    }

    /// The kind of value that the setting expects, described in words for error messages.
    var demand: String {
        switch kind {
        case .text, .flag: kindText
        case .integer, .choices, .duration: "a " + kindText
        case .choice(let words): "one of " + words.joined(separator: ", ")
        }
    }

    /// The kind of value, described in words for the reference of all settings.
    package var kindText: String {
        switch kind {
        case .text: "text"
        case .integer(let bounds): "whole number \(bounds.lowerBound) to \(bounds.upperBound)"
        case .duration(let bounds): "time \(Self.time(bounds.lowerBound)) to \(Self.time(bounds.upperBound))"
        case .flag: "true or false"
        case .choice(let words): words.joined(separator: "|")
        case .choices(let words): "list of " + words.joined(separator: "|")
        }
    }
}
