import JSON
import Wire

/// The rows of an answer, as many as fit into one payload.
enum AnswerRows {
    /// The size of an answer without its rows, in bytes.
    static let frameBytes = 256
    /// The most bytes that the rows of an answer may have; the rest is for the fields behind them.
    static let bytesMax = Payload.bytesMax - 1024

    /// Makes rows until the next one would make the answer larger than a payload.
    static func fitting<Element>(
        _ elements: some Sequence<Element>,
        row: (Element) throws -> JSONValue
    ) rethrows -> [JSONValue] {
        var bytes = frameBytes
        return try fitting(elements, bytes: &bytes, row: row)
    }

    /// Makes rows for an answer with rows of several kinds; `bytes` counts all of them.
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
