package import ArgumentParser
import Foundation

/// The commands of `lamplighter-bench`.
package enum Benchmarks {
    /// The commands in the order in which the help lists them.
    package static var commands: [any ParsableCommand.Type] {
        [
            BenchReports.self, BenchCommands.self, BenchAccounts.self, BenchSchedules.self, BenchHistory.self,
            BenchGate.self, BenchCluster.self, BenchConsole.self, BenchHTTP.self, BenchEvents.self, BenchConsumer.self,
        ]
    }

    /// Writes a line to standard error.
    @Sendable
    package static func tell(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
