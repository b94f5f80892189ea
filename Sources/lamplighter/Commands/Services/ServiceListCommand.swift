import ArgumentParser
import JSON
import Storage

/// `service list`: the back-end services that can connect.
struct ServiceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the back-end services that may connect.",
        discussion: "lamplighter service list"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let services = try await CommandContext.open(settings).store.read { try $0.services.all() }
        if output.json {
            return Terminal.show(
                .array(services.map { ["name": .string($0.name), "role": .string($0.role)] })
            )
        }
        var table = TextTable(["SERVICE", "ROLE"])
        for service in services { table.add([service.name, service.role]) }
        print(table.text)
    }
}
