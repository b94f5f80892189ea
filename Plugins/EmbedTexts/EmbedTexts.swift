import Foundation
import PackagePlugin

/// Puts text files into a target as string literals: those of its folders `Texts` and `Playground`, the contract, and
/// the client for browsers.
///
/// SwiftPM's own `.embedInCode` writes an array of numbers, which takes the compiler 9 s for each 100 kB; a literal
/// takes none.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let package = context.package.directoryURL
        let contract = package.appending(path: "schemas/generated/reference.jsonl")
        let client = try Self.files(in: package.appending(path: "clients/js"))
        let files =
            try Self.files(in: target.directoryURL.appending(path: "Texts"))
            + Self.files(in: target.directoryURL.appending(path: "Playground"))
            + client.filter { $0.pathExtension == "js" } + [contract]
        let output = context.pluginWorkDirectoryURL.appending(path: "EmbeddedTexts.swift")
        return [
            .buildCommand(
                displayName: "Embedding the texts of \(target.name)",
                executable: try context.tool(named: "EmbedTool").url,
                arguments: [output.path()] + files.map { $0.path() },
                inputFiles: files,
                outputFiles: [output]
            )
        ]
    }

    private static func files(in folder: URL) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path()).sorted()
            .map { folder.appending(path: $0) }
    }
}
