package import Domain

/// The start of the next page in a list sorted by a moment and an id.
package struct RowCursor {
    /// The moment of the previous page's last row.
    package let at: Instant
    /// The id of the previous page's last row.
    package let id: String

    /// Makes the cursor for the position after a row.
    package init(at: Instant, id: String) { (self.at, self.id) = (at, id) }

    /// Parses `cursor`; returns nil if the field is absent.
    package init?(_ fields: Fields) throws(Rejection) {
        guard let text = try fields.text("cursor", length: 1...512) else { return nil }
        let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
        guard parts.count == 2, let at = Int64(parts[0]), PlainForm.accepts(parts[1].utf8) else {
            throw fields.refuse("cursor", "is not a cursor of an earlier page")
        }
        self.init(at: Instant(milliseconds: at), id: parts[1])
    }

    /// The cursor as it appears in an answer.
    package var text: String { "\(at.milliseconds).\(id)" }
}
