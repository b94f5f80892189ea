import JSON

/// Writes a schema as tables of its members, with the rules between them in words.
struct SchemaTable {
    let contract: Contract

    /// Returns the tables and rules of the schema at a place; empty if it has neither.
    func markdown(_ place: String) -> String {
        guard let schema = contract.schemas[place] else { return "" }
        return markdown(resolved(schema).schema)
    }

    private func markdown(_ schema: JSONObject) -> String {
        var parts: [String] = []
        let forms = variants(schema)
        if forms.isEmpty {
            parts.append(table(rows(schema, "", depth: 0)))
        } else {
            parts.append(table(rows(schema, "", depth: 0)))
            for (index, form) in forms.enumerated() {
                parts.append("**\(ordinal(index)) form**")
                parts.append(table(rows(form, "", depth: 0)))
                parts.append(rules(form))
            }
        }
        parts.append(rules(schema, leavingOut: !forms.isEmpty))
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func table(_ rows: [[String]]) -> String {
        Markup.table(["Member", "Type", "", "What it is"], rows)
    }

    private func ordinal(_ index: Int) -> String {
        let words = ["First", "Second", "Third", "Fourth", "Fifth", "Sixth", "Seventh", "Eighth"]
        return index < words.count ? words[index] : "Further"
    }

    /// Returns the alternatives of an object with different members; empty if they only add
    /// conditions.
    private func variants(_ schema: JSONObject) -> [JSONObject] {
        let forms = (schema["oneOf"]?.arrayValue ?? []).compactMap(\.objectValue)
            .map { resolved($0).schema }
        return forms.allSatisfy { $0.text("type") == "object" } ? forms : []
    }

    // MARK: Rows

    private func rows(_ schema: JSONObject, _ prefix: String, depth: Int) -> [[String]] {
        let required = (schema["required"]?.arrayValue ?? []).compactMap(\.stringValue)
        return (schema["properties"]?.objectValue?.members ?? []).flatMap { member -> [[String]] in
            guard let inner = member.value.objectValue else { return [] }
            let name = prefix + member.key
            let (found, place) = resolved(inner)
            let row = [
                Markup.code(name), SchemaWords(contract).type(inner),
                required.contains(member.key) ? "required" : "",
                description(found),
            ]
            guard depth < 4, place.map({ !contract.isNoun($0) }) ?? true else { return [row] }
            return [row] + inside(found, name, depth: depth)
        }
    }

    private func inside(_ schema: JSONObject, _ name: String, depth: Int) -> [[String]] {
        var rows = self.rows(schema, name + ".", depth: depth + 1)
        for form in (schema["oneOf"]?.arrayValue ?? []).compactMap(\.objectValue) {
            rows += self.rows(resolved(form).schema, name + ".", depth: depth + 1)
        }
        if let items = schema["items"]?.objectValue {
            let (found, place) = resolved(items)
            if place.map({ !contract.isNoun($0) }) ?? true {
                rows += inside(found, name + "[]", depth: depth)
            }
        }
        return rows.reduce(into: []) { all, row in
            if !all.contains(row) { all.append(row) }
        }
    }

    private func description(_ schema: JSONObject) -> String {
        var text = Markup.prose(schema.text("description"))
        if schema["properties"] != nil || schema["anyOf"] != nil {
            let rules = SchemaWords(contract).rules(schema)
            if !rules.isEmpty { text += (text.isEmpty ? "" : " ") + rules.joined(separator: " ") }
        }
        return text
    }

    private func rules(_ schema: JSONObject, leavingOut forms: Bool = false) -> String {
        var schema = schema
        if forms { schema["oneOf"] = nil }
        return SchemaWords(contract).rules(schema).map { "- " + $0 }.joined(separator: "\n")
    }

    /// Follows references, and returns the schema with the nearest description and the place of the
    /// last definition.
    private func resolved(_ schema: JSONObject) -> (schema: JSONObject, place: String?) {
        contract.resolved(schema)
    }
}

extension Contract {
    /// Follows references, also one that is alone in `allOf`.
    ///
    /// Returns the schema with the nearest description, and the place of the definition.
    func resolved(_ schema: JSONObject) -> (schema: JSONObject, place: String?) {
        var (schema, place, description) = (schema, String?.none, String?.none)
        while true {
            if description == nil { description = schema["description"]?.stringValue }
            let all = (schema["allOf"]?.arrayValue ?? []).compactMap(\.objectValue)
            let only = all.count == 1 && schema["properties"] == nil ? all.first : nil
            guard let next = schema["$ref"] != nil ? schema : only else { break }
            guard let name = next["$ref"]?.stringValue, let found = schemas[name] else { break }
            (schema, place) = (found, name)
        }
        if let description { schema["description"] = .string(description) }
        return (merged(schema), place)
    }

    /// Merges the members of the schemas that an object combines (`allOf`).
    private func merged(_ schema: JSONObject) -> JSONObject {
        let parts = (schema["allOf"]?.arrayValue ?? []).compactMap(\.objectValue)
        let bases = parts.filter { $0["if"] == nil }
        guard !bases.isEmpty else { return schema }
        var out = schema
        var members = schema["properties"]?.objectValue?.members ?? []
        var required = schema["required"]?.arrayValue ?? []
        for part in bases.map({ resolved($0).schema }) {
            members += part["properties"]?.objectValue?.members ?? []
            required += part["required"]?.arrayValue ?? []
            for key in ["anyOf", "oneOf", "type", "pattern", "enum"] where out[key] == nil {
                out[key] = part[key]
            }
        }
        if !members.isEmpty { out["properties"] = .object(JSONObject(members: members)) }
        if !required.isEmpty { out["required"] = .array(required) }
        let rest = parts.filter { $0["if"] != nil }
        out["allOf"] = rest.isEmpty ? nil : .array(rest.map(JSONValue.object))
        return out
    }

    /// Returns whether a shared definition has a section of its own, which tables link to.
    func isNoun(_ place: String) -> Bool {
        guard let found = schemas[place], shared.contains(place) else { return false }
        let schema = resolved(found).schema
        let members = schema["properties"]?.objectValue?.members.count ?? 0
        return members > 1
            || schema["oneOf"]?.arrayValue?.contains { one in
                one.objectValue?["properties"] != nil
            } ?? false
    }

    /// Returns the anchor of a shared definition's section.
    static func nounAnchor(_ place: String) -> String { "type-" + definition(place) }
}
