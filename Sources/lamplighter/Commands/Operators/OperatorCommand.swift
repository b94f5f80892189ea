import ArgumentParser
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Storage
import Workers

/// `operator`: the operators of the console.
struct OperatorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "operator",
        abstract: "Add, list and revoke operators of the console, and make links and tokens.",
        discussion: "lamplighter operator list",
        subcommands: [
            OperatorAddCommand.self, OperatorLinkCommand.self, OperatorListCommand.self,
            OperatorRevokeCommand.self, OperatorTokenCommand.self,
        ]
    )
}

extension OperatorRole: ExpressibleByArgument {}

extension CommandContext {
    /// Finds an operator by name.
    func oneOperator(_ name: String) throws -> Operator {
        if let found = try store.read({ try $0.operators.find(name) }) { return found }
        throw missing("operator", name)
    }

    /// The console's address: of the running service, else as configured.
    var consoleURL: String {
        ReadyFile.read(directory)?["consoleUrl"]?.stringValue
            ?? settings.consoleURL ?? "http://\(settings.consoleHost):\(settings.consolePort)"
    }
}

extension AuditEntry {
    /// Returns the audit entry of an act on the command line.
    static func act(_ name: String, subject: String) -> AuditEntry {
        var entry = AuditEntry(
            kind: .operatorAct,
            uid: nil,
            app: nil,
            actor: Actor(.operator, "cli"),
            detail: name
        )
        entry.subject = subject
        return entry
    }
}
