import Foundation
import PackagePlugin

/// Puts text files into a target as string literals: those of its folder `Texts`, and the contract.
///
/// SwiftPM's own `.embedInCode` writes an array of numbers, which takes the compiler 9 s for each 100 kB; a literal
/// takes none.
@main
struct EmbedTexts: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let texts = target.directoryURL.appending(path: "Texts")
        let contract = context.package.directoryURL.appending(
            path: "schemas/generated/reference.jsonl"
        )
        let names = try FileManager.default.contentsOfDirectory(atPath: texts.path()).sorted()
        let files = names.map { texts.appending(path: $0) } + [contract]
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
}
