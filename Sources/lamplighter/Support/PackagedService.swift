import Glibc
import Problems

/// The Debian package's service, which doesn't use the commands' default data directory.
enum PackagedService {
    /// Returns the problem, with a cure if the user probably meant the package's data.
    ///
    /// The cure is added if the data directory is missing, `LAMPLIGHTER_DATA` isn't set, and the package is installed.
    /// The cure replaces the advice to start a service, because that service would run beside the package's service.
    static func hinted(_ problem: Problem) -> Problem {
        guard problem.code == .dataMissing, getenv("LAMPLIGHTER_DATA") == nil, isInstalled
        else { return problem }
        let words = CommandLine.arguments.dropFirst().prefix { !$0.hasPrefix("-") }
        let command = (["sudo lamplighterctl"] + words).joined(separator: " ")
        return Problem(
            problem.code,
            problem.message,
            at: problem.place,
            why: problem.why,
            cures: [.init(command, "the package's data")]
                + problem.cures.filter { !$0.command.hasPrefix("lamplighter up ") }
        )
    }

    private static var isInstalled: Bool {
        let path = "/usr/sbin:" + (getenv("PATH").map { String(cString: $0) } ?? "")
        return path.split(separator: ":").contains { access("\($0)/lamplighterctl", X_OK) == 0 }
    }
}
