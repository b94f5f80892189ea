import ArgumentParser
import Domain
import JSON

/// The command `device allow-reset`, which lets the next registration of a bound device succeed as after a factory
/// reset.
struct DeviceAllowResetCommand: OperationCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow-reset",
        abstract: "Let a bound device that lost its secret register again, as after a factory reset.",
        discussion: """
            lamplighter device allow-reset d-0123456789abc

            For the time given, one registration without the old secret succeeds. It ends all bindings,
            clears the device's reports and notifies its users. Until then nothing changes.
            """
    )
    static let operation = "allowReset"

    /// The range of minutes that can be given.
    static let minutesRange: ClosedRange<Int64> = 1...RegistrationRules.resetMinutesMax

    @Argument(help: "The device's id.")
    var did: String

    @Option(help: "Time allowed, in minutes.")
    var minutes = RegistrationRules.resetWindowSeconds / 60

    @OptionGroup(title: "Common options") var common: CommonOptions

    func validate() throws {
        guard Self.minutesRange.contains(minutes) else {
            throw ValidationError(
                "--minutes takes \(Self.minutesRange.lowerBound) to"
                    + " \(Self.minutesRange.upperBound), not \(minutes)"
            )
        }
    }

    var path: [String: String] { ["did": did] }

    func answer(in place: CommandContext) async throws -> JSONObject {
        _ = try await place.run(Self.operation, path, body: ["minutes": .integer(minutes)])
        return try await place.run("showDevice", path)
    }

    func show(_ answer: JSONObject, in place: CommandContext) {
        let device = answer.object("row").named("did", "name")
        let until = answer.moment("resetUntil")
        print("\(device) may be reset by a registration until \(until)")
    }
}
