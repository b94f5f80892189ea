import ArgumentParser
import JSON
import Service

/// The command `version`, which prints the version of this program.
struct VersionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "version",
        abstract: "Print the version.",
        discussion: "lamplighter version"
    )

    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() {
        if output.json {
            Terminal.show(.object(["version": .string(Version.text)]))
        } else {
            print("lamplighter \(Version.text)")
        }
    }
}
