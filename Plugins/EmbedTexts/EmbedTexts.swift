import Foundation
import PackagePlugin

/// A build plugin that generates three kinds of Swift code: enums, string literals, and the types of a command line.
///
/// The enums come from the lists in `schemas/lists`. Each string literal is the content of a text file. The text files
/// are those in the target's folders `Texts` and `Files`.
///
/// The target `Reference` also gets all pages of the reference site, in one file, and the files of the playground. The
/// plugin gives the playground's files names that begin with `try/`. These files include the JavaScript client for
/// browsers and two of the console's scripts.
///
/// The plugin replaces SwiftPM's `.embedInCode`, for which the compiler takes 9 s per 100 kB. A string literal takes
/// almost no time.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        var files = ["Texts", "Files"].flatMap { Self.files(below: target.directoryURL.appending(path: $0)) }
        if target.name == "Reference" {
            let package = context.package.directoryURL
            // The site's generator has already put the Markdown files' content into `reference.txt`.
            files.removeAll { $0.url.pathExtension == "md" }
            let pages = package.appending(path: "schemas/generated/reference.txt")
            files.append((pages.lastPathComponent, pages))
            let console = package.appending(path: "Sources/Console/Files")
            let playground =
                Self.files(below: target.directoryURL.appending(path: "Playground"))
                + Self.files(below: package.appending(path: "clients/js"))
                .filter { $0.url.pathExtension == "js" && !$0.name.contains("/") }
                + ["base/html.js", "base/words.js"].map { ($0, console.appending(path: $0)) }
            files += playground.map { ("try/" + $0.name, $0.url) }
        }
        var commands: [Command] = []
        if ["lamplighter", "Bench"].contains(target.name) {
            let file = context.package.directoryURL.appending(path: "schemas/generated/commands.json")
            commands.append(try command(context, "Commands", of: [file], ["commands", target.name, file.path()]))
        }
        let lists = context.package.directoryURL.appending(path: "schemas/generated/lists.json")
        commands.append(try command(context, "Lists", of: [lists], ["lists", target.name, lists.path()]))
        guard !files.isEmpty else { return commands }
        let texts = files.map { "\($0.name)=\($0.url.path())" }
        return commands + [try command(context, "EmbeddedTexts", of: files.map(\.url), ["texts"] + texts)]
    }

    private func command(
        _ context: PluginContext,
        _ name: String,
        of inputs: [URL],
        _ arguments: [String]
    ) throws -> Command {
        let output = context.pluginWorkDirectoryURL.appending(path: "\(name).swift")
        return .buildCommand(
            displayName: "Making \(name).swift",
            executable: try context.tool(named: "EmbedTool").url,
            arguments: [output.path()] + arguments,
            inputFiles: inputs,
            outputFiles: [output]
        )
    }

    /// Returns all files in a folder and its subfolders, with their relative paths, in alphabetical order.
    private static func files(below folder: URL) -> [(name: String, url: URL)] {
        let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String }
        return (names ?? []).sorted().compactMap { name in
            let url = folder.appending(path: name)
            let isFile = (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile
            return isFile == true ? (name, url) : nil
        }
    }
}
