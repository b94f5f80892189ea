import ArgumentParser
import JSON
import Service

/// `explain`: what a code in an error or in `doctor` means.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code, such as LL1003; without one, list them."
    )

    @Argument(help: "The code.")
    var code: String?

    @OptionGroup var output: OutputOptions

    func run() throws {
        guard let code else { return list() }
        guard let known = ProblemCode(named: code) else {
            throw ValidationError("there is no code \(code); `lamplighter explain` lists them")
        }
        let page = known.page
        if output.json {
            Terminal.show(
                .object(
                    JSONObject([
                        ("code", .string(known.rawValue)), ("title", .string(page.title)),
                        ("text", .string(page.text)),
                    ])
                )
            )
        } else {
            print("\(known.rawValue)  \(page.title)\n\n\(page.text)")
        }
    }

    private func list() {
        if output.json {
            let rows = ProblemCode.allCases.map { code -> JSONValue in
                .object(
                    JSONObject([
                        ("code", .string(code.rawValue)), ("title", .string(code.page.title)),
                    ])
                )
            }
            return Terminal.show(.array(rows))
        }
        for code in ProblemCode.allCases { print("\(code.rawValue)  \(code.page.title)") }
    }
}
