/// A diagram described in a page's fence: ```` ```sequence NAME Title ```` or ```` ```states NAME
/// Title ````.
struct Diagram {
    /// The name of the diagram's file.
    let name: String
    /// The title.
    let title: String
    private let lines: [String]
    private let isSequence: Bool

    /// Parses a fence; returns nil if it isn't a diagram's.
    init?(info: String, lines: [String]) {
        let words = info.split(separator: " ", maxSplits: 2).map(String.init)
        guard words.count == 3, ["sequence", "states"].contains(words[0]) else { return nil }
        (name, title, self.lines) = (words[1], words[2], lines.filter { !$0.isEmpty })
        isSequence = words[0] == "sequence"
    }

    /// Returns the picture; one that stands alone includes its colours, others use the page's.
    func svg(isAlone: Bool) -> String {
        let drawing = isSequence ? SequenceDrawing(lines).drawing : StateDrawing(lines).drawing
        let text = lines.map(Inline.escape).joined(separator: "\n")
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(drawing.width) \(drawing.height)" \
            width="\(drawing.width)" height="\(drawing.height)" role="img" aria-label="\(Inline.escape(title))" \
            class="diagram">
            \(isAlone ? Self.style : "")<title>\(Inline.escape(title))</title>
            <desc>\(text)</desc>
            \(drawing.shapes.joined(separator: "\n"))
            </svg>
            """
    }

    private static let style = """
        <style>
        .paper { fill: #fff } .line, .arrow { stroke: #444; fill: none; stroke-width: 1.3 } .tip { fill: #444 }
        .dashed { stroke-dasharray: 5 4 } .box { fill: #eef2f7; stroke: #667; stroke-width: 1 }
        .life { stroke: #aab; stroke-width: 1; stroke-dasharray: 2 4 } .note { fill: #fff6d8; stroke: #b90 }
        .words { fill: #111; font: 13px system-ui, sans-serif } .middle { text-anchor: middle }
        @media (prefers-color-scheme: dark) {
        .paper { fill: #15181d } .line, .arrow { stroke: #bbc } .tip { fill: #bbc }
        .box { fill: #26303c; stroke: #89a } .life { stroke: #556 } .note { fill: #3a3418; stroke: #b90 }
        .words { fill: #eee } }
        </style>

        """
}

/// The shapes of a diagram and its size, in pixels.
struct Drawing {
    var width = 0
    var height = 0
    var shapes: [String] = []

    /// Returns the approximate width of a text at the size of diagrams.
    static func width(of text: String) -> Int { text.count * 7 }

    /// Adds a text centred at `x`.
    mutating func text(_ text: String, x: Int, y: Int) {
        shapes.append(
            "<text class=\"words middle\" x=\"\(x)\" y=\"\(y)\">\(Inline.escape(text))</text>"
        )
    }

    /// Adds a rectangle of a class.
    mutating func rectangle(_ kind: String, x: Int, y: Int, width: Int, height: Int, round: Int = 4)
    {
        shapes.append(
            "<rect class=\"\(kind)\" x=\"\(x)\" y=\"\(y)\" width=\"\(width)\" height=\"\(height)\" rx=\"\(round)\"/>"
        )
    }

    /// Adds an arrow.
    mutating func arrow(
        from start: (x: Double, y: Double),
        to end: (x: Double, y: Double),
        isDashed: Bool = false
    ) {
        let length = max(
            ((end.x - start.x) * (end.x - start.x) + (end.y - start.y) * (end.y - start.y))
                .squareRoot(),
            1
        )
        let (dx, dy) = ((end.x - start.x) / length, (end.y - start.y) / length)
        let (backX, backY) = (end.x - 9 * dx, end.y - 9 * dy)
        func point(_ x: Double, _ y: Double) -> String { "\(Self.number(x)),\(Self.number(y))" }
        shapes.append(
            "<path class=\"arrow\(isDashed ? " dashed" : "")\" d=\"M\(point(start.x, start.y)) L\(point(backX, backY))\"/>"
        )
        shapes.append(
            "<path class=\"tip\" d=\"M\(point(end.x, end.y)) L\(point(backX - 4 * dy, backY + 4 * dx)) "
                + "L\(point(backX + 4 * dy, backY - 4 * dx)) Z\"/>"
        )
    }

    private static func number(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths % 10 == 0 ? "\(tenths / 10)" : "\(Double(tenths) / 10)"
    }
}
