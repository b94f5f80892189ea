import ArgumentParser
import Console
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
        throw missing("operator", name, why: "no operator with that name was added")
    }

    /// The console's address: of the running service, else as configured.
    var consoleURL: String {
        ReadyFile.read(directory)?["consoleUrl"]?.stringValue
            ?? settings.consoleURL ?? "http://\(settings.consoleHost):\(settings.consolePort)"
    }

    /// Makes a one-time link, and notes it in the audit.
    func makeLink(of name: String, role: OperatorRole, act: String) throws -> OperatorLink {
        do {
            return try store.batch(at: SystemClock().now, once: true) { tx in
                let link = try OperatorLink.make(of: name, role: role, in: tx)
                try tx.audit.add(.act(act, subject: "operator \(name)"))
                return link
            }
        } catch let rejection as Rejection {
            throw Problem(
                .conflict,
                "no link can be made for \(name): \(rejection.message)",
                at: name,
                why: "each operator has a unique name",
                cures: [
                    .init("lamplighter operator list --data '\(directory.path)'", "all operators")
                ]
            )
        }
    }

    /// Prints a link.
    func show(_ link: OperatorLink, _ output: OutputOptions) {
        let url = link.url(at: consoleURL)
        if output.json {
            return Terminal.show([
                "operator": .string(link.name), "role": .string(link.role.rawValue),
                "url": .string(url), "expiresAt": .integer(link.expiresAt.milliseconds),
            ])
        }
        Terminal.show(line: url)
        Terminal.tell("Signs in \(link.name) (\(link.role.rawValue)); works once, for 30 minutes.")
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
