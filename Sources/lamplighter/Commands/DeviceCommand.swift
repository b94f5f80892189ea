import ArgumentParser

/// `device`: the devices that have registered.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Look at devices, print labels, let one be reset, and forget one.",
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceAllowResetCommand.self,
            DeviceForgetCommand.self, DeviceLabelCommand.self,
        ]
    )
}
