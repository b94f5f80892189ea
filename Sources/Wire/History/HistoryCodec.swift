package import Domain
package import JSON

/// An encoder of a device's history (`device/history` in `schemas/methods/device.schema.json`).
package enum HistoryCodec {
    /// Returns the row of a record, or nil for a record without the requested attribute.
    package static func row(
        at ts: Instant,
        data: JSONObject?,
        binary: String?,
        for question: HistoryQuestion
    ) -> AnswerRow? {
        let moment = JSONValue.integer(ts.milliseconds)
        if let name = question.attribute { return data?[name].map { .object(["ts": moment, "value": $0]) } }
        let members = data?.members.filter(question.isShown)
        return JSONObject(showing: ["ts": moment, "data": JSONObject(members: members ?? []), "binary": binary]).shown
    }

    /// Returns the row of a time step, or nil for a step without values.
    package static func row(from start: Instant, values: JSONObject, for question: HistoryQuestion) -> AnswerRow? {
        guard let first = values.members.first else { return nil }
        let moment = JSONValue.integer(start.milliseconds)
        return question.attribute == nil
            ? .object(["ts": moment, "data": .object(values)]) : .object(["ts": moment, "value": first.value])
    }
}
