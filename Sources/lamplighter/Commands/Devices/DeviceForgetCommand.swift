import ArgumentParser
import JSON
import Service
import Storage

extension DeviceForgetCommand {
    func run() async throws {
        let place = try await CommandContext.open(common.settings)
        let device = try place.device(did)
        let path = ["did": did]
        if !yes {
            show(device, try await place.run("previewForget", path), isTold: nil)
            guard !common.output.json, Terminal.confirms("Forget \(device.shown)?") else {
                Terminal.tell("nothing was changed: forgetting can't be undone; pass --yes to forget the device")
                throw ExitCode(2)
            }
        }
        let removed = try await place.run("forgetDevice", path, body: ["confirm": .string(did)])
        let isTold = ToolClient(place.directory, place.settings).disconnect(device.did)
        show(device, removed, isTold: isTold)
        if !isTold {
            Terminal.tell(
                "No service is running: the device's users are notified once it runs. The device can't connect any more."
            )
        }
    }

    /// Shows the data that is deleted with the device.
    ///
    /// `isTold` says whether the gate was asked to close the device's connection. The value is nil before the device is
    /// deleted.
    private func show(_ device: DeviceRecord, _ summary: JSONObject, isTold: Bool?) {
        if common.output.json {
            var answer = summary
            answer["did"] = .string(did)
            answer["forgotten"] = .bool(isTold != nil)
            answer["disconnected"] = .bool(isTold ?? false)
            return Terminal.show(.object(answer))
        }
        print((isTold == nil ? "would forget " : "forgot ") + device.shown)
        let users = summary["users"]?.arrayValue ?? []
        print(
            "  users \(users.count), invitations \(summary.text("invitations")), "
                + "schedules \(summary.text("schedules")), " + "open commands \(summary.text("commands")), "
                + "records of history \(summary.text("records"))"
        )
        if !users.isEmpty { print("  lost by \(summary.text("users"))") }
    }
}
