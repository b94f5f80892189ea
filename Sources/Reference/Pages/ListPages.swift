import Domain

/// The pages that list all codes, limits, settings and metrics.
struct ListPages {
    let facts: ReferenceFacts

    /// The pages.
    var pages: [ReferencePage] {
        [
            page("errors", title: "Error codes", text: errors),
            page("refusals", title: "Reasons of refusals", text: refusals),
            page("problems", title: "Codes of the command line", text: problems),
            page("limits", title: "Limits", text: limits),
            page("settings", title: "Settings", text: settings),
            page("metrics", title: "Metrics", text: metrics),
        ]
    }

    private func page(_ name: String, title: String, text: String) -> ReferencePage {
        ReferencePage(name: name, title: title, group: .lists, markdown: "# \(title)\n\n\(text)\n")
    }

    private var errors: String {
        let sections = ErrorCode.allCases.map { code in
            """
            ## \(code.rawValue) {#\(code.rawValue)}

            **Cause:** \(code.page.cause)

            **Cure:** \(code.page.cure)\(code.isPassing ? " The same request can succeed later." : "")
            """
        }
        return ([Texts.text("errors-head.md")] + sections).joined(separator: "\n\n")
    }

    private var refusals: String {
        Texts.text("refusals-head.md") + "\n" + explained(facts.refusals)
    }

    private var problems: String {
        Texts.text("problems-head.md") + "\n" + explained(facts.problems)
    }

    private func explained(_ all: [ReferenceFacts.Explained]) -> String {
        all.map { one in
            (["## \(one.code) {#\(one.code)}", "\(Markup.escape(one.title))."]
                + one.paragraphs.map(Self.paragraph)).joined(separator: "\n\n")
        }.joined(separator: "\n\n")
    }

    private static func paragraph(_ text: String) -> String {
        for (start, name) in [("why   ", "Cause"), ("do    ", "Cure")] where text.hasPrefix(start) {
            return "**\(name):** \(Markup.escape(String(text.dropFirst(start.count))))"
        }
        return Markup.escape(text)
    }

    private var limits: String {
        let own = facts.settings.filter { $0.key.hasPrefix("limits.") }
        return Texts.text("limits-head.md") + "\n" + table(own)
    }

    private var settings: String {
        let groups = facts.settings.reduce(into: [(name: String, rows: [ReferenceFacts.Setting])]())
        {
            groups,
            row in
            let name = row.key.contains(".") ? String(row.key.prefix { $0 != "." }) : "general"
            if let index = groups.firstIndex(where: { $0.name == name }) {
                groups[index].rows.append(row)
            } else {
                groups.append((name, [row]))
            }
        }
        let sections = groups.map { "## \($0.name) {#settings-\($0.name)}\n\n\(table($0.rows))" }
        return ([Texts.text("settings-head.md")] + sections).joined(separator: "\n\n")
    }

    private func table(_ rows: [ReferenceFacts.Setting]) -> String {
        Markup.table(
            ["Setting", "Takes", "Default", "What it does"],
            rows.map { row in
                [
                    "`\(row.key)`", Markup.escape(row.takes),
                    row.standard.isEmpty ? "–" : Markup.code(row.standard), Markup.escape(row.doc),
                ]
            }
        )
    }

    private var metrics: String {
        Texts.text("metrics-head.md") + "\n"
            + Markup.table(
                ["Metric", "Kind", "What it counts"],
                facts.metrics.map { ["`\($0.name)`", $0.kind, Markup.escape($0.help)] }
            )
    }
}
