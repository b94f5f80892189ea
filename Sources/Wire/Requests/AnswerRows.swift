package import JSON

/// The result of a request, as made by the codecs.
package typealias Answer = JSONObject
/// A row of an answer.
package typealias AnswerRow = JSONValue

/// The selection of rows for an answer, which must fit into one payload.
package enum AnswerRows {
    /// The space reserved in an answer for everything but its rows, in bytes.
    package static let frameBytes = 256
    /// The maximum number of bytes for an answer's rows, which leaves space for the fields after the rows.
    package static let bytesMax = Payload.bytesMax - 1024

    /// Returns the size of a row in an answer, in bytes.
    package static func bytes(of row: AnswerRow) -> Int { row.encoded().count + 1 }

    /// Makes rows until the next row would no longer fit into the answer.
    package static func fitting<Element>(
        _ elements: some Sequence<Element>,
        row: (Element) throws -> AnswerRow
    ) rethrows -> [AnswerRow] {
        var bytes = frameBytes
        return try fitting(elements, bytes: &bytes, row: row)
    }

    /// Makes rows for an answer that already contains `bytes` bytes, and adds the new rows' size to `bytes`.
    ///
    /// The size of the first row that no longer fits is also added, so a later call with `bytes` makes no more rows.
    package static func fitting<Element>(
        _ elements: some Sequence<Element>,
        bytes: inout Int,
        row: (Element) throws -> AnswerRow
    ) rethrows -> [AnswerRow] {
        var rows: [AnswerRow] = []
        for element in elements {
            let value = try row(element)
            bytes += self.bytes(of: value)
            if bytes > bytesMax { break }
            rows.append(value)
        }
        return rows
    }

    /// The kinds of rows on a page; each case has the name of the answer's field that contains these rows.
    package enum Kind: String { case commands, events, homes, rows, runs, schedules, sharings, users }

    /// Returns an answer with a page of rows and the next page's cursor, if any.
    package static func page(_ kind: Kind, _ rows: [AnswerRow], next: String?) -> Answer {
        JSONObject([(kind.rawValue, .array(rows)), ("cursor", next.map { .string($0) })])
    }
}
