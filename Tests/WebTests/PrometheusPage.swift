/// A `/metrics` page, parsed strictly: the parser accepts only what the format allows.
struct PrometheusPage {
    /// A line of the page that contains a sample.
    struct Sample: Equatable {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    struct Malformed: Error, CustomStringConvertible {
        let description: String
    }

    private(set) var samples: [Sample] = []
    private(set) var types: [String: String] = [:]
    private(set) var helps: [String: String] = [:]

    /// Parses a page, and throws an error if any line violates the format.
    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(description: "no final line feed") }
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            if line.hasPrefix("# HELP ") {
                let parts = line.dropFirst(7).split(separator: " ", maxSplits: 1)
                guard parts.count == 2, helps[String(parts[0])] == nil else {
                    throw Malformed(description: "bad HELP: \(line)")
                }
                helps[String(parts[0])] = String(parts[1])
            } else if line.hasPrefix("# TYPE ") {
                let parts = line.dropFirst(7).split(separator: " ").map(String.init)
                guard parts.count == 2, types[parts[0]] == nil, ["counter", "gauge", "histogram"].contains(parts[1])
                else { throw Malformed(description: "bad TYPE: \(line)") }
                types[parts[0]] = parts[1]
            } else {
                samples.append(try Self.sample(line))
            }
        }
        for sample in samples where types[family(of: sample.name)] == nil {
            throw Malformed(description: "\(sample.name) has no TYPE")
        }
    }

    /// Returns the named sample's value, or nil if the page doesn't contain it.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }

    private func family(of name: String) -> String {
        for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
            let stem = String(name.dropLast(suffix.count))
            if types[stem] == "histogram" { return stem }
        }
        return name
    }

    private static func sample(_ line: Substring) throws -> Sample {
        var rest = line[...]
        let name = rest.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || "_:".contains($0)) }
        rest = rest.dropFirst(name.count)
        var labels: [String: String] = [:]
        if rest.first == "{" {
            rest = rest.dropFirst()
            while rest.first != "}" {
                let (label, value) = try pair(&rest, line)
                guard labels.updateValue(value, forKey: label) == nil else {
                    throw Malformed(description: "label twice: \(line)")
                }
                if rest.first == "," { rest = rest.dropFirst() }
            }
            rest = rest.dropFirst()
        }
        guard !name.isEmpty, rest.first == " ", let value = number(rest.dropFirst()) else {
            throw Malformed(description: "bad sample: \(line)")
        }
        return Sample(name: String(name), labels: labels, value: value)
    }

    private static func pair(
        _ rest: inout Substring,
        _ line: Substring
    ) throws -> (String, String) {
        let label = rest.prefix { $0 != "=" }
        rest = rest.dropFirst(label.count)
        guard rest.hasPrefix("=\"") else { throw Malformed(description: "bad label: \(line)") }
        rest = rest.dropFirst(2)
        var value = ""
        while let character = rest.popFirst() {
            if character == "\"" { return (String(label), value) }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": value.append("\n")
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            default: throw Malformed(description: "bad escape: \(line)")
            }
        }
        throw Malformed(description: "open label value: \(line)")
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }
}
