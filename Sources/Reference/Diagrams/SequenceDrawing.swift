/// Draws the messages between parties from top to bottom.
///
/// The first line names the parties, separated by `|`; each further line is `A -> B: words`, `A -->
/// B: words` (dashed, an answer) or `note A: words`.
struct SequenceDrawing {
    private struct Step {
        var from: Int
        var to: Int
        var words: String
        var isDashed = false
        var isNote = false
    }

    private let parties: [String]
    private let steps: [Step]

    init(_ lines: [String]) {
        let parties = (lines.first ?? "").split(separator: "|").map { String($0.trimmed) }
        self.parties = parties
        steps = lines.dropFirst().compactMap { Self.step($0, parties) }
    }

    private static func step(_ line: String, _ parties: [String]) -> Step? {
        guard let colon = line.firstRange(of: ": ") else { return nil }
        let (head, words) = (line[..<colon.lowerBound], String(line[colon.upperBound...]))
        func index(_ name: Substring) -> Int? { parties.firstIndex(of: String(name.trimmed)) }
        if head.hasPrefix("note ") {
            return index(head.dropFirst(5)).map {
                Step(from: $0, to: $0, words: words, isNote: true)
            }
        }
        let isDashed = head.contains("-->")
        guard let arrow = head.firstRange(of: isDashed ? "-->" : "->"),
            let from = index(head[..<arrow.lowerBound]), let to = index(head[arrow.upperBound...])
        else { return nil }
        return Step(from: from, to: to, words: words, isDashed: isDashed)
    }

    /// The picture.
    var drawing: Drawing {
        var drawing = Drawing()
        let columns = places()
        let height = 64 + steps.count * 38
        for (name, x) in zip(parties, columns) {
            let width = Drawing.width(of: name) + 24
            drawing.shapes.append("<path class=\"life\" d=\"M\(x),44 L\(x),\(height)\"/>")
            drawing.rectangle("box", x: x - width / 2, y: 14, width: width, height: 30)
            drawing.text(name, x: x, y: 34)
        }
        for (index, step) in steps.enumerated() {
            add(step, at: 78 + index * 38, columns, to: &drawing)
        }
        drawing.width = (columns.last ?? 0) + Drawing.width(of: parties.last ?? "") / 2 + 24
        for step in steps where step.isNote || step.from == step.to {
            drawing.width = max(
                drawing.width,
                columns[step.from] + Drawing.width(of: step.words) / 2 + 20
            )
        }
        drawing.height = height + 8
        return drawing
    }

    /// Returns the centres of the columns, far enough apart for the words between them.
    private func places() -> [Int] {
        var columns: [Int] = []
        for index in parties.indices {
            guard let last = columns.last else {
                let notes = steps.filter { $0.isNote && $0.from == 0 }
                    .map { Drawing.width(of: $0.words) / 2 + 14 }
                columns.append(max(Drawing.width(of: parties[0]) / 2 + 24, notes.max() ?? 0))
                continue
            }
            let between = steps.filter {
                !$0.isNote && min($0.from, $0.to) < index && max($0.from, $0.to) == index
            }
            let needs = between.map { step -> Int in
                let start = min(step.from, step.to)
                return columns[start] + Drawing.width(of: step.words) + 34
            }
            let names =
                (Drawing.width(of: parties[index - 1]) + Drawing.width(of: parties[index])) / 2 + 44
            columns.append(max(last + max(names, 120), needs.max() ?? 0))
        }
        return columns
    }

    private func add(_ step: Step, at y: Int, _ columns: [Int], to drawing: inout Drawing) {
        let (from, to) = (columns[step.from], columns[step.to])
        if step.isNote || from == to {
            let width = Drawing.width(of: step.words) + 18
            drawing.rectangle("note", x: from - width / 2, y: y - 16, width: width, height: 24)
            drawing.text(step.words, x: from, y: y + 1)
            return
        }
        let middle = (from + to) / 2
        let width = Drawing.width(of: step.words)
        drawing.rectangle(
            "paper",
            x: middle - width / 2,
            y: y - 18,
            width: width,
            height: 15,
            round: 0
        )
        drawing.text(step.words, x: middle, y: y - 6)
        drawing.arrow(
            from: (Double(from), Double(y)),
            to: (Double(to), Double(y)),
            isDashed: step.isDashed
        )
    }
}
