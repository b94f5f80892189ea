import Administration
import Foundation
import JSON
import Problems
import Reference
import Service

extension DocsCommand {
    func run() throws {
        let site = ReferenceDocuments.site
        for (path, text) in site.files.sorted(by: { $0.key < $1.key }) {
            let url = URL(filePath: directory).appending(path: path)
            do {
                let folder = url.deletingLastPathComponent()
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
                try text.write(to: url, atomically: true, encoding: .utf8)
            } catch {
                throw Problem.documentsUnwritable(path: url.path, why: error.localizedDescription)
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
