import JSON

/// Writes a schema's requirements in words.
struct SchemaWords {
    let contract: Contract

    init(_ contract: Contract) { self.contract = contract }

    // MARK: Types

    /// Returns the type of a value with its limits, as Markdown.
    func type(_ schema: JSONObject) -> String {
        let (found, place) = contract.resolved(schema)
        if let place, contract.isNoun(place) {
            return "[\(Contract.definition(place))](types.md#\(Contract.nounAnchor(place)))"
        }
        if let value = found["const"] { return code(value) }
        if let values = found["enum"]?.arrayValue {
            return Markup.list(values.map(code), "or")
        }
        let choices = (found["anyOf"]?.arrayValue ?? found["oneOf"]?.arrayValue ?? [])
            .compactMap(\.objectValue)
        if found["type"] == nil, !choices.isEmpty {
            return choices.map(type).reduce(into: []) { all, one in
                if !all.contains(one) { all.append(one) }
            }.joined(separator: " or ")
        }
        return plain(found)
    }

    private func plain(_ schema: JSONObject) -> String {
        let kinds = schema["type"]?.arrayValue?.compactMap(\.stringValue) ?? [schema.text("type")]
        return Markup.list(
            kinds.map { kind in
                switch kind {
                case "string": text(schema)
                case "integer", "number": number(schema, kind)
                case "array": array(schema)
                case "object": "object" + bounds(schema, of: "Properties", unit: "member")
                case "boolean": "true or false"
                case "null": "null"
                default: "any value"
                }
            },
            "or"
        )
    }

    private func text(_ schema: JSONObject) -> String {
        var out = schema.text("contentEncoding") == "base64" ? "text in base64" : "text"
        let bounds = self.bounds(schema, of: "Length", unit: "character")
        out += bounds
        let pattern = schema.text("pattern")
        if !pattern.isEmpty, schema.text("contentEncoding").isEmpty {
            out += "\(bounds.isEmpty ? "" : ",") of the form \(Markup.code(pattern))"
        }
        return out
    }

    private func number(_ schema: JSONObject, _ kind: String) -> String {
        let low = schema["minimum"]?.doubleValue ?? -.infinity
        let high = schema["maximum"]?.doubleValue ?? .infinity
        let most = Double(JSONValue.integerMax)
        return switch (low > -most, high < most) {
        case (true, true): "\(kind), \(Self.number(low)) to \(Self.number(high))"
        case (true, false): "\(kind), from \(Self.number(low))"
        case (false, true): "\(kind), up to \(Self.number(high))"
        case (false, false): kind
        }
    }

    private func array(_ schema: JSONObject) -> String {
        let items = schema["items"]?.objectValue.map(type) ?? "any value"
        return "list of \(items)" + bounds(schema, of: "Items", unit: "entry")
    }

    private func bounds(_ schema: JSONObject, of what: String, unit: String) -> String {
        let low = schema["min" + what]?.intValue ?? 0
        let units = unit == "entry" ? "entries" : unit + "s"
        guard let high = schema["max" + what]?.intValue else {
            return low > 0 ? ", at least \(low) \(low == 1 ? unit : units)" : ""
        }
        if low == high { return ", \(low) \(low == 1 ? unit : units)" }
        return low > 0 ? ", \(low) to \(high) \(units)" : ", up to \(high) \(units)"
    }

    private static func number(_ value: Double) -> String {
        Int64(exactly: value).map(String.init) ?? String(value)
    }

    private func code(_ value: JSONValue) -> String {
        Markup.code(value.stringValue ?? String(decoding: value.encoded(), as: UTF8.self))
    }

    // MARK: Rules

    /// Returns the rules between an object's members, each as a sentence.
    func rules(_ schema: JSONObject) -> [String] {
        var out: [String] = []
        for (key, start) in [("anyOf", "At least one of: "), ("oneOf", "Exactly one of: ")] {
            let choices = (schema[key]?.arrayValue ?? []).compactMap(\.objectValue)
            let words = choices.map(condition).filter { !$0.isEmpty }
            if !words.isEmpty, words.count == choices.count {
                out.append(start + words.joined(separator: "; ") + ".")
            }
        }
        if let not = schema["not"]?.objectValue {
            let words = condition(not)
            if !words.isEmpty { out.append("Never: \(words).") }
        }
        let whole = schema["if"] != nil ? [schema] : []
        for rule in whole + (schema["allOf"]?.arrayValue ?? []).compactMap(\.objectValue) {
            out += self.rule(rule)
        }
        return out
    }

    private func rule(_ rule: JSONObject) -> [String] {
        guard let test = rule["if"]?.objectValue else { return [] }
        var out: [String] = []
        let start = "Where " + condition(test)
        if let then = rule["then"]?.objectValue.map(condition), !then.isEmpty {
            out.append("\(start): \(then).")
        }
        if let other = rule["else"]?.objectValue.map(condition), !other.isEmpty {
            out.append("\(out.isEmpty ? "Unless " + condition(test) : "Otherwise"): \(other).")
        }
        return out
    }

    /// Returns a condition in words; empty if it doesn't concern members.
    private func condition(_ schema: JSONObject) -> String {
        let (schema, _) = contract.resolved(schema)
        var parts = (schema["properties"]?.objectValue?.members ?? []).compactMap(self.member)
        let told = Set(
            (schema["properties"]?.objectValue?.members ?? []).filter { self.member($0) != nil }
                .map(\.key)
        )
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
            .filter { !told.contains($0) }
        if !required.isEmpty {
            parts.append(Markup.list(required.map(Markup.code), "and") + " given")
        }
        for (key, word) in [("anyOf", " or "), ("oneOf", " or else ")] {
            let choices = (schema[key]?.arrayValue ?? []).compactMap(\.objectValue).map(condition)
                .filter { !$0.isEmpty }
            if !choices.isEmpty { parts.append(choices.joined(separator: word)) }
        }
        for part in (schema["allOf"]?.arrayValue ?? []).compactMap(\.objectValue) {
            let words = condition(part)
            if !words.isEmpty { parts.append(words) }
        }
        if let not = schema["not"]?.objectValue { parts += without(not) }
        return parts.joined(separator: ", ")
    }

    private func without(_ schema: JSONObject) -> [String] {
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        let choices = (schema["anyOf"]?.arrayValue ?? []).compactMap(\.objectValue)
            .flatMap { ($0["required"]?.arrayValue ?? []).compactMap(\.stringValue) }
        let names = required + choices
        if !names.isEmpty {
            return [
                "without " + Markup.list(names.map(Markup.code), required.isEmpty ? "or" : "and")
            ]
        }
        let words = condition(schema)
        return words.isEmpty ? [] : ["not (\(words))"]
    }

    private func member(_ member: JSONObject.Member) -> String? {
        guard let schema = member.value.objectValue else {
            return member.value.boolValue == false ? "without \(Markup.code(member.key))" : nil
        }
        let name = Markup.code(member.key)
        if let value = schema["const"] { return "\(name) is \(code(value))" }
        if let values = schema["enum"]?.arrayValue {
            return "\(name) is \(Markup.list(values.map(code), "or"))"
        }
        if let not = schema["not"]?.objectValue {
            return (not["const"].map { [$0] } ?? not["enum"]?.arrayValue).map {
                "\(name) is not \(Markup.list($0.map(code), "or"))"
            }
        }
        let inside = condition(schema)
        if !inside.isEmpty { return "in \(name) \(inside)" }
        let words = type(schema)
        return words == "any value" ? nil : "\(name) is \(words)"
    }
}
