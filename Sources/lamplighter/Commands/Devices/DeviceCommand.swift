import ArgumentParser

/// `device`: the devices that have registered.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract: "Inspect and command devices, print labels, allow a reset, and forget a device.",
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceControlCommand.self,
            DeviceWatchCommand.self, DeviceAllowResetCommand.self, DeviceForgetCommand.self,
            DeviceLabelCommand.self,
        ]
    )
}
