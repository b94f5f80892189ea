import Foundation
import PackagePlugin

/// A build plugin that generates a target's Swift declarations from `schemas/settings.yaml`.
///
/// `Metering` gets the gate's limits, `Domain` the workers' limits, and `ServiceSettings` the table of settings.
@main
struct DeclareSettings: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        let input = context.package.directoryURL.appending(path: "schemas/settings.yaml")
        let output = context.pluginWorkDirectoryURL.appending(path: "DeclaredSettings.swift")
        return [
            .buildCommand(
                displayName: "Declaring the settings of \(target.name)",
                executable: try context.tool(named: "SettingsTool").url,
                arguments: [target.name, input.path(), output.path()],
                inputFiles: [input],
                outputFiles: [output]
            )
        ]
    }
}
