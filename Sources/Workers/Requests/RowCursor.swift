import Domain
import JSON
import Wire

/// The place at which the next page begins, for rows sorted by a moment and an id.
struct RowCursor {
    let at: Instant
    let id: String

    init(at: Instant, id: String) {
        self.at = at
        self.id = id
    }

    /// Reads `cursor`; nil when there is none.
    init?(_ fields: Fields) throws {
        guard let text = try fields.text("cursor", length: 1...512) else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let at = Int64(parts[0]), PlainForm.accepts(parts[1].utf8) else {
            throw fields.refuse("cursor", "is not a cursor of an earlier page")
        }
        self.init(at: Instant(milliseconds: at), id: parts[1])
    }

    /// The cursor as it appears in an answer.
    var value: JSONValue { .string("\(at.milliseconds).\(id)") }
}
