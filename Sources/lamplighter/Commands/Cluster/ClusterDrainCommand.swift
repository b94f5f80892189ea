import ArgumentParser
import JSON
import Problems
import Service
import Storage

/// `cluster drain`: has a process hand over its lanes, and take no more.
struct ClusterDrainCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "drain",
        abstract: "Make a process hand over its lanes and take no more.",
        discussion: """
            lamplighter cluster drain lamps-2

            For use before its machine is removed; a process that is merely stopped hands over as well. It keeps its lanes \
            as long as no other process runs.
            """
    )

    @Argument(help: "The process's name, as `cluster status` shows it.")
    var process: String

    @Flag(help: "Make it take its share again.")
    var undo = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        guard place.store.isShared else { throw Problem.storeNotShared() }
        let isKnown = try place.store.coordinate { try $0.nodes.drain(process, !undo) }
        guard isKnown else { throw Problem.unknownProcess(name: process) }
        if output.json {
            return Terminal.show(["node": .string(process), "draining": .bool(!undo)])
        }
        print(undo ? "\(process) takes its share again" : "\(process) hands over its lanes")
    }
}
