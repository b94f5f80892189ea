import ArgumentParser
import JSON
import Service

extension ExplainCommand {
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
