import Administration
import JSON
import ServiceSettings

extension ConfigCommand {
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
