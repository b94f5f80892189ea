import Administration
import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Storage
import Workers

extension OperatorRole: ExpressibleByArgument {}

extension CommandContext {
    /// Returns the operator with the given name, or throws a `Problem`.
    func oneOperator(_ name: String) throws -> Operator {
        if let found = try store.read({ try $0.operators.find(name) }) { return found }
        throw missing("operator", name)
    }

    /// The console's address, from the running service or else from the configuration.
    var consoleURL: String {
        ReadyFile.read(directory)?["consoleUrl"]?.stringValue
            ?? settings.consoleURL ?? "http://\(settings.consoleHost):\(settings.consolePort)"
    }
}

extension AuditEntry {
    /// Returns the audit entry of an action that was taken on the command line.
    static func act(_ name: String, subject: String) -> AuditEntry {
        var entry = AuditEntry(kind: .operatorAct, uid: nil, app: nil, actor: Actor(.operator, "cli"), detail: name)
        entry.subject = subject
        return entry
    }
}

extension OperatorAddCommand {
    var body: JSONObject { ["name": .string(name), "role": .string(role.rawValue)] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        let cure = Problem.Cure("lamplighter operator link \(name)", "make another link")
        return try await place.run(Self.operation, body: body, isNoted: true, cure: cure)
    }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

extension OperatorLinkCommand {
    var path: [String: String] { ["name": name] }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

extension ConsoleCommand {
    func answer(in place: CommandContext) async throws -> JSONObject {
        let name = OperatorLink.firstName
        guard try place.store.read({ try $0.operators.find(name) }) == nil else {
            return try await place.run(Self.operation, ["name": name], isNoted: true)
        }
        let admin: JSONObject = ["name": .string(name), "role": "admin"]
        return try await place.run("addOperator", body: admin, isNoted: true)
    }

    func show(_ answer: JSONObject, in place: CommandContext) { Terminal.show(link: answer) }
}

extension Terminal {
    fileprivate static func show(link: JSONObject) {
        show(line: link.text("url"))
        let name = "\(link.text("operator")) (\(link.text("role")))"
        tell("Signs in \(name). Can be used once, within 30 minutes.")
    }
}

extension OperatorListCommand {
    static let columns = [
        Column("OPERATOR", "name"), Column("ROLE", "role"),
        Column("PASSWORD", "hasPassword"), Column("SESSIONS", "sessions"),
        Column("TOKENS", "tokens"), .moment("LAST SEEN", "lastSeenAt"),
    ]
}

extension OperatorRevokeCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        let found = try place.oneOperator(name)
        let count = try place.store.batch(at: SystemClock().now, once: true) { tx in
            let count = try tx.operators.revoke(found.name)
            if remove { _ = try tx.operators.remove(found.name) }
            let act = remove ? "removeOperator" : "revokeOperator"
            try tx.audit.add(.act(act, subject: "operator \(found.name)"))
            return count
        }
        if output.json {
            return Terminal.show(json: ["count": count, "removed": remove])
        }
        print(
            "\(count) sessions of \(found.name) ended\(remove ? "; the operator is removed" : "")"
        )
    }
}
