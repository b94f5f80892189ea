import Administration
import ArgumentParser
import Files
import JSON
import Problems
import Sodium
import Storage
import Workers

extension ServiceCommand {
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

extension ServiceAddCommand {
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

extension ServiceListCommand {
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

extension ServiceRemoveCommand {
    func validate() throws { try ServiceCommand.check(name) }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let isGone = try place.store.batch(at: SystemClock().now, once: true) { tx in try tx.services.remove(name) }
        guard isGone else { throw place.missing("service", name) }
        if output.json { Terminal.show(["name": .string(name), "removed": true]) } else { print("removed \(name)") }
    }
}
