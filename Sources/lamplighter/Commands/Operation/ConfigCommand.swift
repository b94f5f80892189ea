import Administration
import ArgumentParser
import JSON
import ServiceSettings

/// The command `config`, which shows every setting with its value, default, unit and origin.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Print every setting with its value, default, unit and origin.",
        discussion: """
            lamplighter config
            lamplighter config --config lamplighter.yaml --set log.level=debug
            """
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    @Flag(help: "Print the reference instead: values and effect of each setting, as Markdown.") var reference = false

    func run() async throws {
        if reference { return print(SettingsReference.markdown) }
        let values = try await settings.read()
        let answer = SettingsView.all(values)
        if output.json { return Terminal.show(.object(answer)) }
        Terminal.show(
            answer.items,
            [
                Column("SETTING", "key"), Column("VALUE", "value"), Column("DEFAULT", "default"),
                Column("UNIT", "unit"), Column("ORIGIN", "origin"),
            ]
        )
        Terminal.tell("configuration file: \(values.file ?? "none")")
    }
}
