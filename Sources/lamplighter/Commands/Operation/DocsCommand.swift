import Administration
import ArgumentParser
import Foundation
import JSON
import Problems
import Reference
import Service

/// The command `docs`, which writes the reference as files.
struct DocsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "docs",
        abstract: "Write the reference: every topic, method, code, limit, setting and metric.",
        discussion: """
            lamplighter docs reference

            Start at DIR/index.html; the pages need no network and can be searched. DIR/markdown has the same
            pages as Markdown, DIR/examples the files that the examples use. Files with the same names are replaced.
            A running service serves the reference at /docs of its HTTP address.
            """
    )

    @Argument(help: "The directory to write to; created if missing.")
    var directory: String

    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() throws {
        let site = ReferenceDocuments.site
        for (path, text) in site.files.sorted(by: { $0.key < $1.key }) {
            let url = URL(filePath: directory).appending(path: path)
            do {
                try FileManager.default.createDirectory(
                    at: url.deletingLastPathComponent(),
                    withIntermediateDirectories: true
                )
                try text.write(to: url, atomically: true, encoding: .utf8)
            } catch {
                throw Problem(
                    .documentUnreadable,
                    "\(url.path) cannot be written",
                    at: url.path,
                    why: "\(error.localizedDescription)",
                    cures: [.init("lamplighter docs DIR", "with a directory that you can write to")]
                )
            }
        }
        let start = URL(filePath: directory).appending(path: "index.html").path
        if output.json {
            let count = site.files.count
            return Terminal.show(json: ["directory": directory, "files": count, "start": start])
        }
        print("\(site.files.count) files; open \(start)")
    }
}
