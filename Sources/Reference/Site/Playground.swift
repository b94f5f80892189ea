import Domain
import JSON

/// The files of the playground: its scripts, those that it shares with the console, the client that
/// its app uses, and the contract for its forms.
struct Playground {
    let contract: Contract

    /// The files below `try/` by name.
    var files: [String: String] {
        var files = Dictionary(
            uniqueKeysWithValues: Self.names.map { ($0, Texts.text($0)) }
        )
        files["contract.json"] = String(decoding: contractFile.encoded(), as: UTF8.self) + "\n"
        return files
    }

    private static let names = [
        "app-panel.js", "base/html.js", "base/words-en.json", "base/words-zh.json", "base/words.js",
        "call-panel.js", "code.js", "device-view.js", "form.js", "journal.js", "lamp-panel.js",
        "lamp.js", "lamplighter.js", "mask.js", "methods.js", "mqtt.js", "page.js", "pieces.js",
        "slot.js", "start.js", "step.js", "try.css", "words.js",
    ]

    /// The methods with the schemas of their params, without references, and the explanation of
    /// each error.
    private var contractFile: JSONValue {
        .object([
            "methods": .array(contract.methods.map(method)),
            "errors": .object(JSONObject(ErrorCode.allCases.map { ($0.rawValue, error($0)) })),
        ])
    }

    private func method(_ method: Contract.Method) -> JSONValue {
        let place = method.place + ".params"
        let examples = (contract.examples[place] ?? []).map { example -> JSONValue in
            .object(["title": .string(example.title), "value": example.value])
        }
        return .object([
            "name": .string(method.name), "summary": .string(Inline.words(method.summary)),
            "session": .string(method.session), "examples": .array(examples),
            "params": .object(form(contract.schemas[place] ?? JSONObject(), depth: 0)),
        ])
    }

    private func error(_ code: ErrorCode) -> JSONValue {
        let page = code.page
        return .object([
            "cause": .string(Inline.words(page.cause)),
            "cure": .string(Inline.words(page.cure)),
        ])
    }

    // MARK: Schemas

    private static let depthMax = 5
    /// The members of a schema that a form shows.
    private static let shown = [
        "type", "enum", "minimum", "maximum", "minLength", "maxLength", "required",
    ]

    /// Returns a schema for a form: its members, including those that only some of its variants
    /// have.
    private func form(_ schema: JSONObject, depth: Int) -> JSONObject {
        let found = contract.resolved(schema).schema
        var out = JSONObject(members: found.members.filter { Self.shown.contains($0.key) })
        let about = Inline.words(found.text("description"))
        if !about.isEmpty { out["description"] = .string(about) }
        guard depth < Self.depthMax else { return out }
        var members: [JSONObject.Member] = []
        // Parts of a schema repeat a member to narrow it; the nearest says most.
        for member in found["properties"]?.objectValue?.members ?? []
        where !members.contains(where: { $0.key == member.key }) {
            members.append(member)
        }
        for variant in (found["oneOf"]?.arrayValue ?? []).compactMap(\.objectValue) {
            let inner = contract.resolved(variant).schema["properties"]?.objectValue
            for member in inner?.members ?? []
            where !members.contains(where: { $0.key == member.key }) {
                members.append(member)
            }
        }
        if !members.isEmpty {
            out["properties"] = .object(
                JSONObject(
                    members.compactMap { member in
                        member.value.objectValue.map {
                            (member.key, .object(form($0, depth: depth + 1)))
                        }
                    }
                )
            )
        }
        return out
    }
}
