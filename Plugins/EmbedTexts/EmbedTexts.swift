import Foundation
import PackagePlugin

/// A build plugin that gives a target its enums from `schemas/lists` and its text files as string literals, and the
/// command line its types.
///
/// The text files are those in the target's folders `Texts` and `Files`.
///
/// The target `Reference` also gets all pages of the reference site in one file, and the playground with names that
/// begin with `try/`. The playground consists of its own files, the JavaScript client for browsers, and two scripts of
/// the console.
///
/// The compiler takes 9 s for each 100 kB of the number arrays that SwiftPM's own `.embedInCode` writes, but almost no
/// time for a string literal.
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

    /// Returns all files in a folder and its subfolders, with their paths relative to the folder, in alphabetical
    /// order.
    private static func files(below folder: URL) -> [(name: String, url: URL)] {
        let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String }
        return (names ?? []).sorted().compactMap { name in
            let url = folder.appending(path: name)
            let isFile = (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile
            return isFile == true ? (name, url) : nil
        }
    }
}
