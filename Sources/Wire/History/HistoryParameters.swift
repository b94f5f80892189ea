package import Domain

/// The parameters of `device/history`, except the device.
package struct HistoryParameters: Sendable, Equatable {
    /// A summary of the values in each time step.
    package struct Summary: Sendable, Equatable {
        /// The time step.
        package let step: TimeStep
        /// The function that summarises the values of one step.
        package let function: SummaryFunction
    }

    /// The requested attribute; nil for all attributes.
    package let attribute: String?
    /// Where the page begins: at the beginning of the period, or at the end of the previous page.
    package let place: HistoryPlace
    /// The end of the period, exclusive.
    package let to: Instant
    /// The requested summary; nil if the records themselves are requested.
    package let summary: Summary?
    /// The unchecked IANA time zone for calendar steps, or nil for the user's zone.
    package let timezone: String?

    /// Reads `from`, `to`, `attr`, `cursor`, `timezone`, `every` and `fn`.
    package init(_ fields: Fields) throws(Rejection) {
        let from = try fields.required("from", fields.instant("from"))
        to = try fields.required("to", fields.instant("to"))
        guard from < to else { throw fields.refuse("to", "must be later than params.from") }
        attribute = try fields.text("attr", length: 1...FreeForm.nameBytesMax)
        place = try Self.place(fields, from)
        timezone = try fields.text("timezone", length: 1...64)
        summary = try Self.summary(fields)
    }

    private static func place(_ fields: Fields, _ from: Instant) throws(Rejection) -> HistoryPlace {
        guard let cursor = try fields.text("cursor", length: 1...64) else { return HistoryPlace(from) }
        guard let place = HistoryPlace(cursor: cursor) else {
            throw fields.refuse("cursor", "is not a cursor of device/history")
        }
        return place.ts < from ? HistoryPlace(from) : place
    }

    private static func summary(_ fields: Fields) throws(Rejection) -> Summary? {
        let function = try fields.word("fn", as: SummaryFunction.self)
        guard let text = try fields.text("every", length: 1...8) else {
            guard function == nil else { throw fields.refuse("fn", "needs params.every") }
            return nil
        }
        guard let step = TimeStep(text) else {
            throw fields.refuse("every", "must be a step such as 15m, 1h, 1d, 1w or 1M")
        }
        return Summary(step: step, function: function ?? .avg)
    }
}
