import JSON
import Storage
import Wire

extension DeviceEntry {
    /// Stores a device's new passcode or changed hardware fields, and answers the device.
    func update(
        _ info: RegistrationCodec.Info,
        message: Inbound,
        in work: inout UnitOfWork
    ) throws {
        guard record != nil else {
            return work.refuseUnknown(did, message, id: info.id, isSecret: true)
        }
        var hardware: JSONObject?
        if let changed = info.hardware {
            var merged = try work.tx.devices.find(did)?.hardware ?? [:]
            for member in changed.members { merged[member.key] = member.value }
            hardware = merged
        }
        try work.tx.devices.update(did, passcode: info.passcode, hardware: hardware)
        guard let id = info.id else { return }
        work.answer(did, with: AnswerCodec.accepted(id))
    }
}
