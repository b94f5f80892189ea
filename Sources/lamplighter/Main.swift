import ArgumentParser
import Glibc
import Problems
import Service
import Storage

/// The program's entry point, which reports each error as a problem with cures.
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

    /// Prints an error, and returns the exit code.
    ///
    /// The code 0 means help, 1 a failure, and 2 an invalid command line. A command can also choose a code.
    private static func report(_ error: any Error) -> Int32 {
        if error is Problem || StoreError.isFull(error) { return show(problem(of: error), code: 1) }
        let code = Lamplighter.exitCode(for: error)
        if code == .success {
            print(Lamplighter.fullMessage(for: error))
            return 0
        }
        if error is ExitCode { return code.rawValue }
        if code == .validationFailure {
            if let unknown = UnknownCommand.find(in: Array(CommandLine.arguments.dropFirst())) {
                return show(unknown.problem(), code: 2)
            }
            return show(usage(error), code: 2)
        }
        return show(problem(of: error), code: 1)
    }

    /// Returns the problem to report for an error that isn't about the command line.
    static func problem(of error: any Error) -> Problem {
        if let problem = error as? Problem { return PackagedService.hinted(problem) }
        if StoreError.isFull(error) { return .diskFull(path: ".", sign: "\(error)") }
        return .commandFailed(command: CommandLine.arguments.dropFirst().first ?? "lamplighter", error: "\(error)")
    }

    private static func usage(_ error: any Error) -> Problem {
        .usage(Lamplighter.message(for: error), help: Lamplighter.fullMessage(for: error))
    }

    private static func show(_ problem: Problem, code: Int32) -> Int32 {
        // The arguments are searched for the word `--json`, because the command line may be one that can't be parsed.
        if CommandLine.arguments.prefix(while: { $0 != "--" }).contains("--json") {
            Terminal.show(problem.json)
        } else {
            Terminal.tell(problem)
        }
        return code
    }
}
