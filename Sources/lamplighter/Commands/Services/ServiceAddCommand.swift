import ArgumentParser
import JSON
import Sodium
import Storage
import Workers

/// `service add`: adds a back-end service, or gives an existing one a new secret and role.
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

    @Argument(help: "Its name: it connects as service:NAME, with client ids svc.NAME.…")
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
            return Terminal.show([
                "name": .string(name), "role": .string(role.rawValue),
                "username": .string("service:\(name)"), "password": .string(secret),
                "clientIdPrefix": .string("svc.\(name)."),
            ])
        }
        print("username   service:\(name)\npassword   \(secret)\nclient id  svc.\(name).…")
        Terminal.tell("Store the password now: no later command shows it.")
    }
}
