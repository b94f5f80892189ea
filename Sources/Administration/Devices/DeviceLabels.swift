import Domain
import JSON
import Storage
import Workers

/// The names and tags that operators give devices.
enum DeviceLabels {
    /// Changes the name and tags of the device in the path.
    static func change(_ call: OperationCall) throws -> JSONObject {
        let change = try labeling(call.fields)
        let row = try call.act { work, act in
            let did = try call.id("did", DeviceKind.self)
            try work.tx.lock(devices: [did])
            let former = try DeviceOperations.device(call, in: work.tx).device
            let tags = try work.tx.devices.label(did, change)
            act.subject = "device \(did)"
            act.before = .object(shown(former.name, tags.before))
            act.after = .object(shown(change.name ?? former.name, tags.after))
            return try DeviceView.row(of: did, in: work.tx)
        }
        return row ?? [:]
    }

    private static func shown(_ name: String, _ tags: [DeviceTag]) -> JSONObject {
        JSONObject(showing: ["name": Shown.name(name), "tags": DeviceView.tags(tags)])
    }

    /// Reads the fields `name` and `tags`; in `tags`, a string sets a tag, and null removes one.
    private static func labeling(_ fields: Fields) throws -> DeviceLabeling {
        var change = DeviceLabeling()
        change.name = try fields.text("name", length: 0...DeviceName.lengthMax)
        if let name = change.name { try DeviceName.check(name) }
        for member in try fields.object("tags")?.members ?? [] {
            let field = "tags.\(member.key)"
            if member.value == .null {
                change.removed.insert(member.key)
            } else if let value = member.value.stringValue {
                change.set[member.key] = try DeviceTag(member.key, value, field: field)
            } else {
                throw Rejection.invalid(field, "\(field) must be a string, or null.")
            }
        }
        guard change.name != nil || !change.set.isEmpty || !change.removed.isEmpty else {
            throw Refused.invalid("name", "Give a name, or tags to set or remove.")
        }
        return change
    }
}
