import Administration
import ArgumentParser
import Domain
import JSON
import Service
import Storage
import Workers

extension UserEraseCommand {
    func run() async throws {
        let place = try await CommandContext.open(settings)
        let user = try place.user(uid)
        guard yes else {
            let summary = try place.store.read { try ErasureSummary(user, in: $0) }
            show(summary, isDone: false)
            Terminal.tell("nothing was changed: erasing can't be undone; pass --yes to erase the user")
            throw ExitCode(2)
        }
        Interrupt.listen()
        let summary = try UserErasure.run(user, in: place.operations) {
            guard Interrupt.times == 0 else {
                Terminal.tell("stopped; the service erases the rest automatically")
                throw ExitCode(130)
            }
        }
        show(summary, isDone: true)
    }

    private func show(_ summary: ErasureSummary, isDone: Bool) {
        if output.json { return Self.showJSON(summary, isDone: isDone) }
        print((isDone ? "erased " : "would erase ") + summary.uid.text)
        print(
            "  sessions \(summary.sessions), homes \(summary.homes), schedules \(summary.schedules), "
                + "identities \(summary.identities), devices \(summary.devices.count)"
        )
        guard !summary.devices.isEmpty else { return }
        var table = TextTable(["DEVICE", "ROLE", "SCHEDULES", "WHAT BECOMES OF IT"])
        for device in summary.devices {
            table.add([
                device.did.text + (device.name.map { " \($0)" } ?? ""), device.role.rawValue, "\(device.schedules)",
                Self.fate(device),
            ])
        }
        print("\n" + table.text)
    }

    private static func fate(_ device: ErasureSummary.Device) -> String {
        let losing = device.losing.map(\.text).joined(separator: ", ")
        var parts: [String] = device.losing.isEmpty ? [] : ["lost by \(losing)"]
        if device.isLeftAlone { parts.append("has no user") }
        if let heir = device.heir { parts.append("passes to \(heir)") }
        return parts.isEmpty ? "stays with its other users" : parts.joined(separator: "; ")
    }

    private static func showJSON(_ summary: ErasureSummary, isDone: Bool) {
        let devices = summary.devices.map { device in
            JSONObject(showing: [
                "did": device.did, "name": device.name, "role": device.role.rawValue, "losing": device.losing,
                "heir": device.heir, "withoutUser": device.isLeftAlone, "schedules": device.schedules,
            ])
        }
        Terminal.show(json: [
            "uid": summary.uid, "erased": isDone, "sessions": summary.sessions, "homes": summary.homes,
            "schedules": summary.schedules, "identities": summary.identities, "devices": devices,
        ])
    }
}
