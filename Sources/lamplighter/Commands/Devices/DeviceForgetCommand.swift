import Storage
import ArgumentParser
import Domain
import JSON
import Service

/// `device forget`: removes a device with its state, history and bindings.
struct DeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract:
            "Remove a device with its state, history and bindings; its secret is void at once.",
        discussion: """
            lamplighter device forget d-0123456789abc
            """
    )

    @Argument(help: "The device's id.")
    var did: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let users = try DeviceRemoval.run(device.did, in: place.store, place.settings) ?? []
        let told = ToolClient(place.directory, place.settings).disconnect(device.did)
        if output.json {
            Terminal.show(
                .object(
                    JSONObject([
                        ("did", .string(device.did.text)),
                        ("unbound", .array(users.map { .string($0.text) })),
                        ("disconnected", .bool(told)),
                    ])
                )
            )
        } else {
            print("forgot \(device.did), unbound \(users.count)")
        }
        if !told {
            Terminal.tell(
                "No service runs: its users are told when one does; the device can't connect any more."
            )
        }
    }
}
