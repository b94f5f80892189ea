import Foundation
import PackagePlugin

/// Makes the enums of the lists in `schemas/lists` that belong to a target and the types of the command line, and embeds
/// text files in the target as string literals: the files of its folders `Texts` and `Files`.
///
/// For the reference these are the files of the site by their paths, with all pages in one file, and below `try/` the
/// playground with the client for browsers and the scripts that it shares with the console.
///
/// SwiftPM's own `.embedInCode` writes an array of numbers, which takes the compiler 9 s for each 100 kB; a literal
/// takes no time.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        var files = ["Texts", "Files"].flatMap { Self.files(below: target.directoryURL.appending(path: $0)) }
        if target.name == "Reference" {
            let package = context.package.directoryURL
            // The generator makes pages of the handwritten texts.
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
        if target.name == "lamplighter" {
            let file = context.package.directoryURL.appending(path: "schemas/generated/commands.json")
            commands.append(try command(context, "Commands", of: [file], ["commands", file.path()]))
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

    /// Returns the files below a folder, by their paths relative to it, in alphabetical order.
    private static func files(below folder: URL) -> [(name: String, url: URL)] {
        let names = FileManager.default.enumerator(atPath: folder.path())?.compactMap { $0 as? String }
        return (names ?? []).sorted().compactMap { name in
            let url = folder.appending(path: name)
            let isFile = (try? url.resourceValues(forKeys: [.isRegularFileKey]))?.isRegularFile
            return isFile == true ? (name, url) : nil
        }
    }
}
