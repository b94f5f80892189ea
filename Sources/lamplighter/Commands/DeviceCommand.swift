import ArgumentParser

/// `device`: the devices that have registered.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Look at devices, and forget one.",
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceForgetCommand.self,
        ]
    )
}
