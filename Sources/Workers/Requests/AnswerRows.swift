import JSON
import Wire

/// The rows of an answer, as many as fit into one payload.
enum AnswerRows {
    /// What an answer takes beside its rows, in bytes.
    static let frameBytes = 256
    /// How large an answer grows by its rows, in bytes; the rest is for what comes behind them.
    static let bytesMax = Payload.bytesMax - 1024

    /// Makes rows until the next one would let the answer grow beyond a payload.
    static func fitting<Element>(
        _ elements: some Sequence<Element>,
        row: (Element) throws -> JSONValue
    ) rethrows -> [JSONValue] {
        var bytes = frameBytes
        return try fitting(elements, bytes: &bytes, row: row)
    }

    /// The same where rows of several kinds share an answer; `bytes` counts for all of them.
    static func fitting<Element>(
        _ elements: some Sequence<Element>,
        bytes: inout Int,
        row: (Element) throws -> JSONValue
    ) rethrows -> [JSONValue] {
        var rows: [JSONValue] = []
        for element in elements {
            let value = try row(element)
            bytes += value.encoded().count + 1
            if bytes > bytesMax { break }
            rows.append(value)
        }
        return rows
    }
}
