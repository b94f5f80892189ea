import JSON

/// The services' pages: each method with its params, answer, errors and examples.
struct MethodPages {
    let contract: Contract

    /// A page for each service.
    var pages: [ReferencePage] { contract.services.map(page) }

    private func page(_ service: String) -> ReferencePage {
        let methods = contract.methods.filter { $0.service == service }
        let about = contract.files["methods/" + service]?.description ?? ""
        let list = methods.map { method in
            ["[\(method.name)](#\(method.anchor))", Markup.escape(method.summary)]
        }
        let head = """
            # Service \(service)

            \(Markup.escape(about)) Requests go to `ll/v1/app/{appId}/{terminalId}/request/\(service)/METHOD`; the \
            envelope, repeats and answers are described in [Requests](requests.md), the examples use the files of \
            [Examples](examples.md).

            \(Markup.table(["Method", "What it does"], list))
            """
        return ReferencePage(
            name: "service-" + service,
            title: "Service \(service)",
            group: .contract,
            markdown: ([head] + methods.map(section)).joined(separator: "\n\n") + "\n"
        )
    }

    private func section(_ method: Contract.Method) -> String {
        let tables = SchemaTable(contract: contract)
        var parts = [
            "## \(method.name) {#\(method.anchor)}",
            Markup.escape(method.summary) + " " + call(method),
        ]
        for (side, title) in [("params", "Params"), ("result", "Answer")] {
            let place = "\(method.place).\(side)"
            parts.append("### \(title) {#\(method.anchor)-\(side)}")
            let text = contract.schemas[place]?.text("description") ?? ""
            parts.append(text == "{}" ? "`{}`" : Markup.prose(text))
            parts.append(tables.markdown(place))
            if side == "result", let example = contract.examples[place]?.last {
                parts.append("```json\n\(PrettyJSON.text(example.value))\n```")
            }
        }
        parts += ["### Errors {#\(method.anchor)-errors}", errors(method)]
        parts += ["### Examples {#\(method.anchor)-examples}", examples(method)]
        return parts.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private func call(_ method: Contract.Method) -> String {
        switch method.session {
        case "always": "It needs the token of a [session](sessions.md)."
        case "sometimes": "It needs the token of a [session](sessions.md) for some params."
        default: "It needs no session."
        }
    }

    private func errors(_ method: Contract.Method) -> String {
        method.errors.map { "[\($0)](errors.md#\($0))" }.joined(separator: ", ") + "."
    }

    private func examples(_ method: Contract.Method) -> String {
        let cases = contract.examples["\(method.place).params"] ?? []
        guard let first = cases.first else { return "" }
        var parts = [ExampleWriter(method: method.name, params: first.value).markdown]
        if cases.count > 1 {
            parts.append("Other params that fit:")
            let rows = cases.dropFirst().map { one in
                let json = String(decoding: one.value.encoded(), as: UTF8.self)
                return [Markup.escape(one.title), Markup.code(json)]
            }
            parts.append(Markup.table(["Case", "Params"], rows))
        }
        return parts.joined(separator: "\n\n")
    }
}
