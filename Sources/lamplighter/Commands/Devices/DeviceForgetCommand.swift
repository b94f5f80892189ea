import ArgumentParser
import Domain
import JSON
import Service
import Storage

/// `device forget`: removes a device with its state, history and bindings.
struct DeviceForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract:
            "Remove a device with its state, history and bindings; its secret is void at once.",
        discussion: """
            lamplighter device forget d-0123456789abc         shows what is lost with it, and asks
            lamplighter device forget d-0123456789abc --yes   does it

            Its users lose the device and their schedules for it. It can register again, as a new device without a user; \
            run `lamplighter backup` first to keep the rest.
            """
    )

    @Argument(help: "The device's id.")
    var did: String

    @Flag(help: "Do it without asking: forgetting can't be undone.")
    var yes = false

    @OptionGroup(title: "Common options") var settings: SettingsOptions
    @OptionGroup(title: "Common options") var output: OutputOptions

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        var summary = try place.store.read { try DeviceRemoval.Summary(of: device.did, in: $0) }
        if !yes {
            show(device, summary, isTold: nil)
            guard !output.json, Terminal.confirms("Forget \(device.shown)?") else {
                Terminal.tell(
                    "nothing was changed: forgetting can't be undone; pass --yes to do it"
                )
                throw ExitCode(2)
            }
        }
        summary.users = try DeviceRemoval.run(device.did, in: place.store, place.settings) ?? []
        let isTold = ToolClient(place.directory, place.settings).disconnect(device.did)
        show(device, summary, isTold: isTold)
        if !isTold {
            Terminal.tell(
                "No service is running: its users are notified once one is; the device can't connect any more."
            )
        }
    }

    /// Shows the data removed with the device; `isTold` is whether the gate closes its connection,
    /// nil before the removal.
    private func show(_ device: DeviceRecord, _ summary: DeviceRemoval.Summary, isTold: Bool?) {
        if output.json { return Terminal.show(Self.json(device.did, summary, isTold: isTold)) }
        print((isTold == nil ? "would forget " : "forgot ") + device.shown)
        print(
            "  users \(summary.users.count), invitations \(summary.invitations), "
                + "schedules \(summary.schedules), open commands \(summary.commands), "
                + "records of history \(summary.records)"
        )
        if !summary.users.isEmpty {
            print("  lost by \(summary.users.map(\.text).joined(separator: ", "))")
        }
    }

    private static func json(
        _ did: DeviceID,
        _ summary: DeviceRemoval.Summary,
        isTold: Bool?
    ) -> JSONValue {
        .object([
            "did": .string(did.text), "forgotten": .bool(isTold != nil),
            "unbound": .array(summary.users.map { .string($0.text) }),
            "invitations": .integer(Int64(summary.invitations)),
            "schedules": .integer(Int64(summary.schedules)),
            "commands": .integer(Int64(summary.commands)),
            "records": .integer(summary.records), "disconnected": .bool(isTold ?? false),
        ])
    }
}
