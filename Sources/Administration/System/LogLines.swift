import Domain
import JSON
import Service

/// The last lines of the log, without the texts of messages to users.
///
/// Only admins see addresses unmasked.
enum LogLines {
    /// The maximum number of lines that are shown.
    static let linesMax = 200
    private static let hidden = "•••"

    /// Returns the newest lines in chronological order (`LogLines`).
    static func shown(isMasked: Bool) -> JSONObject {
        let lines = LogTail.lines.suffix(linesMax).map { masked($0, withAddresses: !isMasked) }
        return JSONObject(showing: ["items": lines])
    }

    /// Returns a log line (text or JSON) without the parts hidden from operators.
    static func masked(_ line: String, withAddresses: Bool) -> String {
        let line = line.replacing(#/ text=(?:"(?:[^"\\]|\\.)*"|\S*)/#, with: " text=\(hidden)").replacing(
            #/"text":"(?:[^"\\]|\\.)*"/#,
            with: "\"text\":\"\(hidden)\""
        )
        guard !withAddresses else { return line }
        return line.replacing(#/[^\s"=<>,;:()/]+@[^\s"=<>,;:()/]+|\+[0-9]{6,15}/#) { match in
            MaskedAddress.text(String(match.output))
        }
    }
}
