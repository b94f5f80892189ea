import Foundation

/// Generates the Swift declarations of a target's settings: `SettingsTool TARGET INPUT OUTPUT`.
@main
enum SettingsTool {
    static func main() throws {
        let words = Array(CommandLine.arguments.dropFirst())
        guard words.count == 3 else { throw Fault("usage: SettingsTool TARGET INPUT OUTPUT") }
        let declarations = try Declaration.all(in: try String(contentsOfFile: words[1], encoding: .utf8))
        let source =
            switch words[0] {
            case "Metering": GateSource.text(declarations)
            case "Domain": LimitsSource.text(declarations)
            case "ServiceSettings": TableSource.text(declarations)
            default: throw Fault("\(words[0]) has no settings")
            }
        // An unchanged file isn't written, so it isn't compiled again.
        guard source != (try? String(contentsOfFile: words[2], encoding: .utf8)) else { return }
        try source.write(toFile: words[2], atomically: true, encoding: .utf8)
    }
}

/// A mistake in the settings file or the arguments, which ends the build.
struct Fault: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
