import ArgumentParser

/// `service`: gateways, schedulers, identity providers and tools that connect to the broker.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Manage back-end services: gateways, schedulers, identity providers, tools.",
        discussion: "lamplighter service list",
        subcommands: [
            ServiceAddCommand.self, ServiceListCommand.self, ServiceRemoveCommand.self,
        ]
    )

    /// The names that the service itself uses.
    private static let reserved = ["lamplighter", "tools", "console"]

    /// Refuses invalid and reserved names.
    static func check(_ name: String) throws {
        let isName = name.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
            default: false
            }
        }
        guard isName, (1...32).contains(name.utf8.count) else {
            throw ValidationError("a name is 1 to 32 letters, digits, - and _, not \(name)")
        }
        guard !reserved.contains(name) else {
            throw ValidationError("\(name) is a built-in service; choose another name")
        }
    }
}
