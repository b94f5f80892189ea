import Domain
import Storage
import Wire

/// `device/history`, which reads records or summaries outside the workers (`schemas/methods/device.schema.json`).
enum HistoryMethod {
    @Sendable
    static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        .history(try question(call))
    }

    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        // `DeviceMethods.binding` refuses a user who has lost the device since the reading began.
        let binding = try DeviceMethods.binding(call)
        guard let page = call.prepared.page else {
            throw Rejection(.unavailable, "The history can't be read now.", retryAfter: 5)
        }
        if let refusal = page.refusal { throw refusal }
        guard let since = try call.tx.devices.find(binding.did)?.ownershipSince, since <= page.since else {
            throw Rejection(.unavailable, "The device was reset meanwhile; send the request again.")
        }
        return .encoded(call.prepared.result)
    }

    private static func question(_ call: Call) throws -> HistoryQuestion {
        let binding = try DeviceMethods.binding(call)
        let reach = try DeviceMethods.reach(binding.did, call)
        let parameters = try HistoryParameters(call.fields)
        var question = HistoryQuestion(
            did: binding.did,
            attribute: try attribute(parameters.attribute, of: reach.product, call),
            place: parameters.place,
            to: parameters.to,
            limit: try call.pageLimit(),
            summary: try summary(parameters, call)
        )
        if question.place.ts < reach.since { question.place = HistoryPlace(reach.since) }
        question.hidden = Set((reach.product?.dataPoints ?? []).filter { $0.access == .writeOnly }.map(\.name))
        return question
    }

    /// Returns the name of an attribute, or throws if users may not see it.
    private static func attribute(_ name: String?, of product: Product?, _ call: Call) throws -> String? {
        guard let name, let product, !product.isFreeForm else { return name }
        guard let point = product.point(name) else {
            throw call.fields.refuse("attr", "is not a data point of this product")
        }
        guard point.access != .writeOnly else { throw call.fields.refuse("attr", "is write-only and never shown") }
        return name
    }

    private static func summary(_ parameters: HistoryParameters, _ call: Call) throws -> HistoryQuestion.Summary? {
        if let zone = parameters.timezone, !TimeZones.contains(zone) {
            throw call.fields.refuse("timezone", "is not an IANA time zone")
        }
        guard let summary = parameters.summary else { return nil }
        return (
            step: summary.step,
            function: summary.function,
            timezone: try parameters.timezone ?? call.user().timezone
        )
    }
}
