import Domain
import Storage
import Wire

/// `device/history`: a device's reports, record by record or summed up (`schemas/methods/device.schema.json`).
///
/// The reading itself is slow work, done outside the workers.
enum HistoryMethod {
    @Sendable
    static func prepare(_ call: inout Call) throws -> BackgroundTask? {
        .history(try question(call))
    }

    @Sendable
    static func run(_ call: inout Call) throws -> Reply {
        // A user who lost the device during the reading gets nothing.
        let binding = try DeviceMethods.binding(call)
        guard let page = call.prepared.page else {
            throw Rejection(.unavailable, "The history can't be read now.", retryAfter: 5)
        }
        if let refusal = page.refusal { throw refusal }
        guard let since = try call.tx.devices.find(binding.did)?.ownershipSince, since <= page.since
        else { throw Rejection(.unavailable, "The device was reset meanwhile; ask again.") }
        return .result(HistoryCodec.page(page.rows, next: page.place))
    }

    private static func question(_ call: Call) throws -> HistoryQuestion {
        let fields = call.fields
        let binding = try DeviceMethods.binding(call)
        let reach = try DeviceMethods.reach(binding.did, call)
        guard let from = try fields.instant("from") else {
            throw fields.refuse("from", "is missing")
        }
        guard let to = try fields.instant("to") else { throw fields.refuse("to", "is missing") }
        guard from < to else { throw fields.refuse("to", "must be later than params.from") }
        var question = HistoryQuestion(
            did: binding.did,
            attribute: try attribute(call, reach.product),
            place: try place(fields, from),
            to: to,
            limit: try call.pageLimit(),
            summary: try summary(call)
        )
        if question.place.ts < reach.since { question.place = HistoryPlace(reach.since) }
        question.hidden = Set(
            (reach.product?.dataPoints ?? []).filter { $0.access == .writeOnly }.map(\.name)
        )
        return question
    }

    private static func attribute(_ call: Call, _ product: Product?) throws -> String? {
        guard let name = try call.fields.text("attr", length: 1...FreeForm.nameBytesMax) else {
            return nil
        }
        guard let product, !product.isFreeForm else { return name }
        guard let point = product.point(name) else {
            throw call.fields.refuse("attr", "is not a data point of this product")
        }
        guard point.access != .writeOnly else {
            throw call.fields.refuse("attr", "is write-only and never shown")
        }
        return name
    }

    private static func place(_ fields: Fields, _ from: Instant) throws -> HistoryPlace {
        guard let cursor = try fields.text("cursor", length: 1...64) else {
            return HistoryPlace(from)
        }
        guard let place = HistoryPlace(cursor: cursor) else {
            throw fields.refuse("cursor", "is not a cursor of device/history")
        }
        return place.ts < from ? HistoryPlace(from) : place
    }

    private static func summary(_ call: Call) throws -> HistoryQuestion.Summary? {
        let fields = call.fields
        let function = try fields.word("fn", as: SummaryFunction.self)
        let zone = try fields.text("timezone", length: 1...64)
        if let zone, !TimeZones.contains(zone) {
            throw fields.refuse("timezone", "is not an IANA time zone")
        }
        guard let text = try fields.text("every", length: 1...8) else {
            guard function == nil else { throw fields.refuse("fn", "needs params.every") }
            return nil
        }
        guard let step = TimeStep(text) else {
            throw fields.refuse("every", "must be a step such as 15m, 1h, 1d, 1w or 1M")
        }
        return .init(
            step: step,
            function: function ?? .avg,
            timezone: try zone ?? call.user().timezone
        )
    }
}
