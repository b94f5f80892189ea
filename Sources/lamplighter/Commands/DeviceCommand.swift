import ArgumentParser

/// `device`: the devices that have registered.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Look at devices, command one, print labels, let one be reset, and forget one.",
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceControlCommand.self,
            DeviceWatchCommand.self, DeviceAllowResetCommand.self, DeviceForgetCommand.self,
            DeviceLabelCommand.self,
        ]
    )
}
