import Administration
import ArgumentParser
import Files
import JSON
import Problems
import Sodium
import Storage
import Workers

/// The commands `service …` about gateways, schedulers, identity providers and tools that connect to the broker.
struct ServiceCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service",
        abstract: "Manage back-end services: gateways, schedulers, identity providers, tools.",
        discussion: "lamplighter service list",
        subcommands: [
            ServiceAddCommand.self, ServiceListCommand.self, ServiceRemoveCommand.self,
        ]
    )

    /// The names that the service itself uses to connect.
    private static let reserved = ["lamplighter", "tools", "console"]

    /// Throws an error if a name is invalid or reserved.
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

/// The command `service add`, which adds a back-end service, or gives an existing one a new secret and role.
struct ServiceAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Add a back-end service; its new secret is shown only once.",
        discussion: """
            lamplighter service add mailer --role gateway

            An existing service gets the new secret and role, and its connections are closed.
            Roles: gateway reads system/outbound/# and answers on system/outbound/result; scheduler
            writes system/trigger/+; identity writes system/session-invalid; console reads 400 messages
            a second; worker may do everything.
            """
    )

    @Argument(help: "The service's name: it connects as service:NAME, with client ids svc.NAME.…")
    var name: String

    @Option(help: "gateway, scheduler, identity, console or worker.")
    var role: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        try ServiceCommand.check(name)
        guard ServiceTable.Role(rawValue: role) != nil else {
            let roles = ServiceTable.Role.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(role) is not a role; the roles are \(roles)")
        }
    }

    func run() async throws {
        guard let role = ServiceTable.Role(rawValue: role) else { return }
        let place = try await CommandContext.open(settings)
        let secret = Sodium.randomSecret()
        try place.store.batch(at: SystemClock().now, once: true) { tx in
            try tx.services.save(name, role: role, secret: secret)
        }
        if output.json {
            return Terminal.show(json: [
                "name": name, "role": role.rawValue, "username": "service:\(name)", "password": secret,
                "clientIdPrefix": "svc.\(name).",
            ])
        }
        print("username   service:\(name)\npassword   \(secret)\nclient id  svc.\(name).…")
        Terminal.tell("Store the password now: no later command shows it.")
    }
}

/// The command `service list`, which shows the back-end services that can connect.
struct ServiceListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the back-end services that may connect.",
        discussion: "lamplighter service list"
    )

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let services = try await CommandContext.open(settings).store.read { try $0.services.all() }
        if output.json {
            return Terminal.show(.array(services.map { ["name": .string($0.name), "role": .string($0.role)] }))
        }
        var table = TextTable(["SERVICE", "ROLE"])
        for service in services { table.add([service.name, service.role]) }
        print(table.text)
    }
}

/// The command `service remove`, which deletes a back-end service, so that it can no longer connect.
struct ServiceRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a back-end service; its connections are closed.",
        discussion: "lamplighter service remove mailer"
    )

    @Argument(help: "The service's name.")
    var name: String

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws { try ServiceCommand.check(name) }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let isGone = try place.store.batch(at: SystemClock().now, once: true) { tx in try tx.services.remove(name) }
        guard isGone else {
            throw Problem(
                .notFound,
                "there is no service \(name)",
                at: name,
                why: "no service with that name was added, or it was removed",
                cures: [.init("lamplighter service list --data '\(place.directory.path)'", "all services")]
            )
        }
        if output.json { Terminal.show(["name": .string(name), "removed": true]) } else { print("removed \(name)") }
    }
}
