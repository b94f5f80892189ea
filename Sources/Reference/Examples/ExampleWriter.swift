import JSON

/// Writes a request as an example to copy, in each language.
///
/// Each example uses the function `ask` of a small file in its language, which the page of examples
/// shows in full.
struct ExampleWriter {
    let method: String
    let params: JSONValue

    /// The examples in all languages, as Markdown fences.
    var markdown: String {
        let texts = [
            ("sh", shell), ("python", python), ("javascript", javaScript), ("c", c),
            ("swift", swift),
        ]
        return texts.map { "```\($0.0)\n\($0.1)\n```" }.joined(separator: "\n\n")
    }

    private var json: String { String(decoding: params.encoded(), as: UTF8.self) }

    private var shell: String {
        ". ./ask.sh\nask \(method) '\(json.replacing("'", with: "'\\''"))'"
    }

    private var python: String {
        "from ask import ask\n\nprint(ask(\"\(method)\", \(Self.python(params))))"
    }

    private var javaScript: String {
        "import { ask } from \"./ask.mjs\";\n\nconsole.log(await ask(\"\(method)\", \(json)));"
    }

    private var c: String {
        var text = ""
        for character in json.unicodeScalars {
            if character == "\"" || character == "\\" { text += "\\" }
            text.unicodeScalars.append(character)
        }
        return """
            #include "ask.h"

            int main(void)
            {
                return ask("\(method)", "\(text)");
            }
            """
    }

    private var swift: String {
        "print(try await ask(\"\(method)\", #\"\(json)\"#))"
    }

    /// Returns a value in Python's form.
    private static func python(_ value: JSONValue) -> String {
        switch value {
        case .bool(let truth): truth ? "True" : "False"
        case .null: "None"
        case .array(let items): "[" + items.map(python).joined(separator: ", ") + "]"
        case .object(let object):
            "{"
                + object.members.map { "\(python(.string($0.key))): \(python($0.value))" }
                .joined(separator: ", ") + "}"
        default: String(decoding: value.encoded(), as: UTF8.self)
        }
    }
}

/// Writes a value as JSON, over several lines if it's long.
enum PrettyJSON {
    /// Returns the text, with two spaces for each level.
    static func text(_ value: JSONValue, indent: Int = 0) -> String {
        let flat = String(decoding: value.encoded(), as: UTF8.self)
        if flat.count + indent < 76 { return flat }
        let space = String(repeating: " ", count: indent + 2)
        let end = "\n" + String(repeating: " ", count: indent)
        switch value {
        case .array(let items):
            let lines = items.map { space + text($0, indent: indent + 2) }
            return "[\n" + lines.joined(separator: ",\n") + end + "]"
        case .object(let object):
            let lines = object.members.map { member in
                let name = String(decoding: JSONValue.string(member.key).encoded(), as: UTF8.self)
                return "\(space)\(name): \(text(member.value, indent: indent + 2))"
            }
            return "{\n" + lines.joined(separator: ",\n") + end + "}"
        default: return flat
        }
    }
}
