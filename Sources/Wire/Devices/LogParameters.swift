package import Domain

/// The parameters of `device/events` and `device/commands`, except the device.
package struct LogParameters: Sendable, Equatable {
    /// The beginning of the period, or nil for the earliest time that the caller may see.
    package let from: Instant?
    /// The end of the period.
    package let to: Instant
    /// The requested kinds of rows; nil for all kinds.
    package let types: Set<String>?
    /// The last row before the page, or nil for the first page.
    package let cursor: Cursor?

    /// The position of a row in a log.
    package struct Cursor: Sendable, Equatable {
        /// The row's time.
        package let time: Instant
        /// The row's number.
        package let number: Int64

        /// Makes the cursor of a row.
        package init(time: Instant, number: Int64) { (self.time, self.number) = (time, number) }

        /// The cursor as it appears in an answer.
        package var text: String { "\(time.milliseconds).\(number)" }
    }

    /// Reads `from`, `to`, `types` and `cursor`, where all `types` must be among `known`.
    package init(_ fields: Fields, types known: Set<String>) throws(Rejection) {
        from = try fields.instant("from")
        to = try fields.instant("to") ?? .max
        if let from, from >= to { throw fields.refuse("to", "must be later than params.from") }
        types = try Self.types(fields, among: known)
        cursor = try Self.cursor(fields)
    }

    private static func types(_ fields: Fields, among known: Set<String>) throws(Rejection) -> Set<String>? {
        guard fields.has("types") else { return nil }
        let types = try fields.texts("types")
        guard !types.isEmpty, types.allSatisfy(known.contains) else {
            throw fields.refuse("types", "may contain only \(known.sorted().joined(separator: ", "))")
        }
        return Set(types)
    }

    private static func cursor(_ fields: Fields) throws(Rejection) -> Cursor? {
        guard let text = try fields.text("cursor", length: 1...64) else { return nil }
        let numbers = text.split(separator: ".").compactMap { Int64($0) }
        guard numbers.count == 2, numbers[0].magnitude <= UInt64(Instant.max.milliseconds) else {
            throw fields.refuse("cursor", "is not a cursor of this method")
        }
        return Cursor(time: Instant(milliseconds: numbers[0]), number: numbers[1])
    }
}
