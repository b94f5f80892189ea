import ArgumentParser
import Files
import Problems
import Service
import ServiceSettings

/// The command `doctor`, which searches for faults and suggests cures.
struct DoctorCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Check service, store, history, secrets, disk, clock, limits, broker, gate, refusals, addresses.",
        discussion: """
            lamplighter doctor
            lamplighter doctor --json
            """
    )

    @Option(help: ArgumentHelp("Only this group; repeatable.", valueName: "group"))
    var only: [String] = []

    @Option(help: ArgumentHelp("Skip this group; repeatable.", valueName: "group"))
    var skip: [String] = []

    @Flag(help: "Only check whether the service accepts work, for a container's health check.") var quick = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        if let odd = (only + skip).first(where: { !Doctor.groups.contains($0) }) {
            throw ValidationError("there is no group \(odd); the groups are \(Doctor.groups.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let values = try await settings.read()
        let directory = try DataDirectory.existing(values)
        let asked = quick ? ["service"] : only.isEmpty ? Doctor.groups : only
        let groups = asked.filter { !skip.contains($0) }
        let doctor = Doctor(settings: values, directory: directory, isQuick: quick)
        let findings = await doctor.examine(groups)
        if output.json {
            Terminal.show(Doctor.json(findings))
        } else {
            for finding in findings { print(Self.text(finding)) }
        }
        let code = Doctor.exitCode(findings)
        if code != 0 { throw ExitCode(code) }
    }

    private static func text(_ finding: Finding) -> String {
        var lines = [
            "\(finding.state.rawValue)  \(finding.code.rawValue)  \(finding.title)",
            "      \(finding.subject): \(finding.evidence)",
        ]
        if !finding.cure.isEmpty { lines.append("  do    \(finding.cure)") }
        if let command = finding.command { lines.append("        \(command)") }
        return PlainText.of(lines.joined(separator: "\n"), keepsLines: true)
    }
}
