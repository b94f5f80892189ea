package import JSON

/// The result of a request, as the codecs write it.
package typealias Answer = JSONObject
/// One row of an answer.
package typealias AnswerRow = JSONValue

/// The rows of an answer, as many as fit into one payload.
package enum AnswerRows {
    /// The size of an answer without its rows, in bytes.
    package static let frameBytes = 256
    /// The maximum number of bytes of an answer's rows; the rest is for the fields after them.
    package static let bytesMax = Payload.bytesMax - 1024

    /// Returns the size of a row in an answer, in bytes.
    package static func bytes(of row: AnswerRow) -> Int { row.encoded().count + 1 }

    /// Makes rows until the next one would make the answer larger than a payload.
    package static func fitting<Element>(
        _ elements: some Sequence<Element>,
        row: (Element) throws -> AnswerRow
    ) rethrows -> [AnswerRow] {
        var bytes = frameBytes
        return try fitting(elements, bytes: &bytes, row: row)
    }

    /// Makes rows for an answer with rows of several kinds; `bytes` counts all of them.
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

    /// The rows of a page, by their name in the answer.
    package enum Kind: String { case commands, events, homes, rows, runs, schedules, sharings, users }

    /// Returns an answer that is a page: rows under their name, and the next page's cursor, if any.
    package static func page(_ kind: Kind, _ rows: [AnswerRow], next: String?) -> Answer {
        JSONObject([(kind.rawValue, .array(rows)), ("cursor", next.map { .string($0) })])
    }
}
