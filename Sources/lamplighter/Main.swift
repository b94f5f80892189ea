import ArgumentParser
import Glibc
import Service

/// The entry point: runs the command and turns every error into the form that a person can act on.
@main
enum Main {
    static func main() async {
        do {
            var command = try Lamplighter.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            exit(report(error))
        }
    }

    /// Tells of an error and picks the exit code: 0 help, 1 failed, 2 usage, or what the command chose.
    private static func report(_ error: any Error) -> Int32 {
        if let problem = error as? Problem { return show(problem) }
        let code = Lamplighter.exitCode(for: error)
        if code == .success {
            print(Lamplighter.fullMessage(for: error))
            return 0
        }
        if error is ExitCode { return code.rawValue }
        if code == .validationFailure {
            Terminal.tell(Lamplighter.fullMessage(for: error))
            return 2
        }
        return show(
            Problem(
                .unexpected,
                "\(CommandLine.arguments.dropFirst().first ?? "lamplighter") failed",
                why: "\(error)",
                cures: [.init("lamplighter doctor", "look for what is wrong")]
            )
        )
    }

    private static func show(_ problem: Problem) -> Int32 {
        if CommandLine.arguments.contains("--json") {
            Terminal.show(problem.json)
        } else {
            Terminal.tell(problem.text)
        }
        return 1
    }
}
