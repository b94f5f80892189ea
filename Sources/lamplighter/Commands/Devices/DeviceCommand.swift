import ArgumentParser

/// `device`: the devices that have registered.
struct DeviceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device",
        abstract:
            "Inspect, name and command devices, print labels, allow a reset, and forget a device.",
        discussion: """
            lamplighter device list
            lamplighter device control d-0123456789abc power=true
            """,
        subcommands: [
            DeviceListCommand.self, DeviceShowCommand.self, DeviceNameCommand.self,
            DeviceTagCommand.self, DeviceControlCommand.self,
            DeviceWatchCommand.self, DeviceAllowResetCommand.self, DeviceForgetCommand.self,
            DeviceLabelCommand.self, DeviceCertificateCommand.self,
        ]
    )
}
