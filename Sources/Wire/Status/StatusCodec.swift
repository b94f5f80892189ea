package import Domain
import JSON

/// An encoder of a device's status for users (`status` in `schemas/messages/user.schema.json`).
package enum StatusCodec {
    /// Encodes the payload of a status message.
    ///
    /// `changed` contains the names of the attributes that a report changed. `actor` is the sender of the command that
    /// caused the change, or nil if no command caused it. The payload contains the actor's terminal only if `reader` is
    /// the actor.
    package static func encode(
        _ status: Status,
        of did: DeviceID,
        changed: [String] = [],
        product: Product?,
        actor: Actor? = nil,
        for reader: UserID? = nil
    ) -> [UInt8] {
        var writer = JSONWriter(capacity: 384)
        writer.beginObject()
        writer.name("did")
        writer.value(did.text)
        writer.name("sn")
        writer.value(0 as Int64)
        writer.name("version")
        writer.value(status.version)
        writer.name("ts")
        writer.value(status.ts.milliseconds)
        writer.name("online")
        writer.value(status.presence.isOnline)
        writer.name("data")
        writer.beginObject()
        for attribute in status.attributes where isShown(attribute.name, product) {
            writer.name(attribute.name)
            writer.value(attribute.value)
        }
        writer.endObject()
        writer.name("changed")
        write(changed, to: &writer)
        writer.name("alerts")
        write(status.open, .alert, to: &writer)
        writer.name("faults")
        write(status.open, .fault, to: &writer)
        if let actor {
            writer.name("actor")
            writer.value(EventCodec.encode(actor, for: reader))
        }
        writer.endObject()
        return writer.finish()
    }

    /// Returns the status as the result of a request.
    package static func answer(_ status: Status, of did: DeviceID, product: Product?) -> Answer {
        let value = try? JSONValue.parse(encode(status, of: did, product: product))
        return value?.objectValue ?? [:]
    }

    /// Returns whether users may see an attribute.
    ///
    /// An attribute is hidden if a later product version removed it or made it write-only.
    private static func isShown(_ name: String, _ product: Product?) -> Bool {
        guard let product, !product.isFreeForm else { return true }
        guard let point = product.point(name) else { return false }
        return point.access != .writeOnly
    }

    private static func write(_ names: [String], to writer: inout JSONWriter) {
        writer.beginArray()
        for name in names { writer.value(name) }
        writer.endArray()
    }

    private static func write(_ open: [Status.OpenCondition], _ kind: ConditionKind, to writer: inout JSONWriter) {
        writer.beginArray()
        for condition in open where condition.kind == kind { writer.value(condition.name) }
        writer.endArray()
    }

    /// Encodes the payload of a message that brings a device's binary data to users.
    package static func binary(_ binary: String, of did: DeviceID, ts: Instant, cid: Int64?) -> [UInt8] {
        JSONObject([
            ("did", .string(did.text)), ("ts", .integer(ts.milliseconds)), ("binary", .string(binary)),
            ("cid", cid.map { .integer($0) }),
        ]).encoded()
    }
}
