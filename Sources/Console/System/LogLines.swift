import Domain
import JSON
import Service

/// The last lines of the log, as operators see them: without the texts of messages, which have codes and links, and for
/// those who see addresses in part only, with those masked.
enum LogLines {
    /// Lines that are shown at most.
    static let linesMax = 200
    private static let hidden = "•••"

    /// Returns the newest lines, the oldest of them first (`LogLines`).
    static func shown(isMasked: Bool) -> JSONObject {
        let lines = LogTail.lines.suffix(linesMax).map { masked($0, withAddresses: !isMasked) }
        return ["items": .array(lines.map { .string($0) })]
    }

    /// Returns a line, in either form of the log, without what operators may not see.
    static func masked(_ line: String, withAddresses: Bool) -> String {
        let line = line.replacing(#/ text=(?:"(?:[^"\\]|\\.)*"|\S*)/#, with: " text=\(hidden)")
            .replacing(#/"text":"(?:[^"\\]|\\.)*"/#, with: "\"text\":\"\(hidden)\"")
        guard !withAddresses else { return line }
        return line.replacing(#/[^\s"=<>,;:()/]+@[^\s"=<>,;:()/]+|\+[0-9]{6,15}/#) { match in
            MaskedAddress.text(String(match.output))
        }
    }
}
