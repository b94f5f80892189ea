/// Draws states and the transitions between them.
struct StateDrawing {
    private struct Edge {
        var from: String
        var to: String
        var words: String
    }

    private var states: [(name: String, column: Int, row: Int)] = []
    private var edges: [Edge] = []

    private static let (cellWidth, cellHeight) = (250, 110)
    private static let (boxWidth, boxHeight) = (116, 40)

    init(_ lines: [String]) {
        for line in lines {
            if let arrow = line.firstRange(of: " -> ") {
                let rest = line[arrow.upperBound...]
                let colon = rest.firstRange(of: ": ")
                edges.append(
                    Edge(
                        from: String(line[..<arrow.lowerBound]),
                        to: String(colon.map { rest[..<$0.lowerBound] } ?? rest),
                        words: colon.map { String(rest[$0.upperBound...]) } ?? ""
                    )
                )
                continue
            }
            let words = line.split(separator: " ")
            guard words.count > 2, let row = Int(words[words.count - 1]),
                let column = Int(words[words.count - 2])
            else { continue }
            states.append((words.dropLast(2).joined(separator: " "), column, row))
        }
    }

    /// The picture.
    var drawing: Drawing {
        var drawing = Drawing()
        drawing.width = ((states.map(\.column).max() ?? 0) + 1) * Self.cellWidth - 100
        drawing.height = ((states.map(\.row).max() ?? 0) + 1) * Self.cellHeight - 20
        for edge in edges { add(edge, to: &drawing) }
        for state in states {
            let (x, y) = center(state.name)
            drawing.rectangle(
                "box",
                x: Int(x) - Self.boxWidth / 2,
                y: Int(y) - Self.boxHeight / 2,
                width: Self.boxWidth,
                height: Self.boxHeight,
                round: 12
            )
            drawing.text(state.name, x: Int(x), y: Int(y) + 5)
        }
        return drawing
    }

    private func center(_ name: String) -> (x: Double, y: Double) {
        guard let state = states.first(where: { $0.name == name }) else { return (0, 0) }
        return (
            Double(state.column * Self.cellWidth + 75), Double(state.row * Self.cellHeight + 35)
        )
    }

    private func add(_ edge: Edge, to drawing: inout Drawing) {
        let (from, to) = (center(edge.from), center(edge.to))
        // Two transitions in opposite directions lie beside each other.
        let isDouble = edges.contains { $0.from == edge.to && $0.to == edge.from }
        let shift = isDouble ? (from.x < to.x || from.y < to.y ? -10.0 : 10.0) : 0
        let isFlat = abs(from.y - to.y) < 1
        let start = border(from, towards: to, shift: shift, isFlat: isFlat)
        let end = border(to, towards: from, shift: shift, isFlat: isFlat)
        drawing.arrow(from: start, to: end)
        let (x, y) = (Int((start.x + end.x) / 2), Int((start.y + end.y) / 2))
        let lines = Self.wrapped(edge.words)
        let width = lines.map(Drawing.width).max() ?? 0
        let up = isFlat ? (shift > 0 ? 18 : -(lines.count * 15) + 8) : 4 - (lines.count - 1) * 7
        for (index, line) in lines.enumerated() {
            if !isFlat {
                drawing.rectangle(
                    "paper",
                    x: x - width / 2,
                    y: y + up + index * 15 - 12,
                    width: width,
                    height: 16,
                    round: 0
                )
            }
            drawing.text(line, x: x, y: y + up + index * 15)
        }
    }

    private func border(
        _ center: (x: Double, y: Double),
        towards other: (x: Double, y: Double),
        shift: Double,
        isFlat: Bool
    ) -> (x: Double, y: Double) {
        let (dx, dy) = (other.x - center.x, other.y - center.y)
        let (halfX, halfY) = (Double(Self.boxWidth) / 2 + 2, Double(Self.boxHeight) / 2 + 2)
        let scale = min(
            dx == 0 ? .infinity : halfX / abs(dx),
            dy == 0 ? .infinity : halfY / abs(dy)
        )
        return (
            center.x + dx * scale + (isFlat ? 0 : shift),
            center.y + dy * scale + (isFlat ? shift : 0)
        )
    }

    /// Breaks words into lines that fit between two states.
    private static func wrapped(_ words: String) -> [String] {
        var lines: [String] = []
        for word in words.split(separator: " ") {
            if let last = lines.last, last.count + word.count < 16 {
                lines[lines.count - 1] = last + " " + word
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}
