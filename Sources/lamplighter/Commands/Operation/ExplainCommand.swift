import ArgumentParser
import JSON
import Service

/// The command `explain`, which explains a code in an error or in a finding of `doctor`, or the reason of a refusal.
struct ExplainCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "explain",
        abstract: "Explain a code, such as LL1003, or a refusal's reason; without an argument, list all.",
        discussion: """
            lamplighter explain LL1003
            lamplighter explain tooFast
            """
    )

    @Argument(help: "The code, or the reason of a refusal.")
    var code: String?

    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() throws {
        guard let code else { return list() }
        guard let page = ExplainPage(named: code) else {
            throw ValidationError("there is no code or reason \(code); `lamplighter explain` lists them")
        }
        if output.json { Terminal.show(page.json) } else { print("\(page.code)  \(page.title)\n\n\(page.text)") }
    }

    private func list() {
        let pages = ExplainPage.all
        guard !output.json else {
            return Terminal.show(.array(pages.map(\.row)))
        }
        for page in pages { print("\(page.code)  \(page.title)") }
    }
}
