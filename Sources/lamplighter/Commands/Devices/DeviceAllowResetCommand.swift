import ArgumentParser
import Domain
import JSON
import Storage
import Workers

/// `device allow-reset`: lets one registration of a bound device succeed as a factory reset.
struct DeviceAllowResetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "allow-reset",
        abstract:
            "Let a bound device that lost its secret register again, as after a factory reset.",
        discussion: """
            lamplighter device allow-reset d-0123456789abc

            For the time given, one registration without the old secret succeeds. It ends all bindings,
            clears the device's reports and notifies its users. Until then nothing changes.
            """
    )

    /// The allowed range of minutes.
    static let minutesRange: ClosedRange<Int64> = 1...RegistrationRules.resetMinutesMax

    @Argument(help: "The device's id.")
    var did: String

    @Option(help: "Time allowed, in minutes.")
    var minutes = RegistrationRules.resetWindowSeconds / 60

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func validate() throws {
        guard Self.minutesRange.contains(minutes) else {
            throw ValidationError(
                "--minutes takes \(Self.minutesRange.lowerBound) to"
                    + " \(Self.minutesRange.upperBound), not \(minutes)"
            )
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let now = SystemClock().now
        let until = now.adding(seconds: minutes * 60)
        try place.store.batch(at: now, once: true) { tx in
            try tx.lock(devices: [device.did])
            try tx.devices.allowReset(device.did, until: until)
        }
        if output.json {
            Terminal.show(
                .object([
                    "did": .string(device.did.text),
                    "resetUntil": .integer(until.milliseconds),
                ])
            )
        } else {
            print("\(device.shown) may be reset by a registration until \(TimeText.of(until))")
        }
    }
}
