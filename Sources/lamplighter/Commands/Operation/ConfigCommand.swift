import ArgumentParser
import JSON
import ServiceSettings

/// `config`: every setting with value, default, unit and origin.
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

    @Flag(help: "Print the reference instead: values and effect of each setting, as Markdown.")
    var reference = false

    func run() async throws {
        if reference { return print(SettingsReference.markdown) }
        let values = try await settings.read()
        if output.json { return Terminal.show(.array(values.entries.map(Self.json))) }
        var table = TextTable(["SETTING", "VALUE", "DEFAULT", "UNIT", "ORIGIN"])
        for entry in values.entries {
            table.add([
                entry.setting.key, entry.shown.isEmpty ? "-" : entry.shown,
                entry.setting.standard.text.isEmpty ? "-" : entry.setting.standard.text,
                entry.setting.unit.isEmpty ? "-" : entry.setting.unit, entry.origin.text,
            ])
        }
        print(table.text)
        Terminal.tell("configuration file: \(values.file ?? "none")")
    }

    private static func json(_ entry: Settings.Entry) -> JSONValue {
        .object([
            "key": .string(entry.setting.key),
            "value": entry.shownJSON,
            "default": entry.setting.standard.json, "unit": .string(entry.setting.unit),
            "kind": .string(entry.setting.kindText), "origin": .string(entry.origin.text),
            "environment": .string(entry.setting.environmentName),
            "doc": .string(entry.setting.doc), "secret": .bool(entry.setting.isSecret),
        ])
    }
}
