import Domain
import Glibc
import JSON
import Storage

/// A writer of history records as lines of JSON or as lines of comma-separated values.
final class HistoryWriter {
    private let format: HistoryExportCommand.Format
    private let hidden: Set<String>
    private var names: [String] = []
    private var known: Set<String> = []
    private var hasBinary = false
    private let isOnTerminal = isatty(1) == 1

    init(format: HistoryExportCommand.Format, hidden: Set<String>) { (self.format, self.hidden) = (format, hidden) }

    /// Adds the columns that a record needs.
    func note(_ record: HistoryRecord) {
        if record.binary != nil { hasBinary = true }
        for member in record.data?.members ?? [] where !hidden.contains(member.key) && known.insert(member.key).inserted
        { names.append(member.key) }
    }

    /// Writes the line of column names.
    func head() {
        show(["ts"] + names.map(Self.title) + (hasBinary ? ["binary"] : []))
    }

    /// Writes a record.
    func write(_ record: HistoryRecord) {
        let data = JSONObject(
            members: (record.data?.members ?? []).filter { $0.value != .null && !hidden.contains($0.key) }
        )
        if format == .jsonl {
            return Terminal.show(json: ["ts": record.ts, "data": data, "binary": record.binary])
        }
        let cells = names.map { name in data[name].map(Self.cell) ?? "" }
        show(["\(record.ts.milliseconds)"] + cells + (hasBinary ? [record.binary ?? ""] : []))
    }

    /// Prints a line; on a terminal, escapes control characters.
    private func show(_ cells: [String]) {
        let line = Self.line(cells)
        print(isOnTerminal ? PlainText.of(line, keepsLines: true) : line)
    }

    /// Returns the title of an attribute's column, with the prefix `data.` if a fixed column has that title.
    private static func title(_ name: String) -> String {
        var rest = name[...]
        while rest.hasPrefix("data.") { rest = rest.dropFirst(5) }
        return guarded(rest == "ts" || rest == "binary" ? "data." + name : name)
    }

    private static func cell(_ value: JSONValue) -> String {
        value.stringValue.map(guarded) ?? String(decoding: value.encoded(), as: UTF8.self)
    }

    /// Returns a text in a form that spreadsheets don't interpret as a formula.
    private static func guarded(_ text: String) -> String {
        let starts: [Unicode.Scalar] = ["=", "@", "+", "-", "\t", "\r", "\n"]
        guard let first = text.unicodeScalars.first, starts.contains(first) else { return text }
        return "'" + text
    }

    /// Returns cells as a line in the format of RFC 4180.
    private static func line(_ cells: [String]) -> String {
        cells.map { cell in
            guard cell.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return cell }
            return "\"" + cell.replacing("\"", with: "\"\"") + "\""
        }.joined(separator: ",")
    }
}
