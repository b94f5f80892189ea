import CQREncode

/// A QR code: a string as a square of dark and light modules, made with libqrencode.
///
/// The code can be drawn as SVG for pages and labels. It can also be drawn as PNG, or with block characters for
/// terminals. Each drawing includes the quiet zone that scanners need.
package struct QRCode: Sendable {
    /// The number of modules on each side of the square.
    package let width: Int
    private let dark: [Bool]

    /// The number of light modules around the code on each side, as the QR standard requires.
    static let quiet = 4

    /// Encodes a string with medium error correction, unless it is empty or too long.
    ///
    /// `QRcode_encodeData` makes the smallest code that fits the string. The result of that function is freed at the
    /// end of this initializer.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        guard let modules = code.pointee.data else { return nil }
        // The lowest bit of a module is 1 if the module is dark.
        dark = UnsafeBufferPointer(start: modules, count: width * width).map { $0 & 1 == 1 }
    }

    /// Returns whether a module is dark (modules around the code are light).
    func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && dark[row * width + column]
    }

    /// The modules without the quiet zone, as a string of 0 and 1 for each row.
    package var rows: [String] {
        (0..<width).map { row in (0..<width).map { isDark(row, $0) ? "1" : "0" }.joined() }
    }

    /// The indices of the rows or columns, including the quiet zone.
    var range: Range<Int> { -Self.quiet..<(width + Self.quiet) }

    /// The code as an SVG picture.
    package var svg: String {
        let side = range.count
        let path = (0..<width).map { rectangles(ofRow: $0) }.joined()
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(side) \(side)" \
            shape-rendering="crispEdges"><path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>\
            <path d="\(path)"/></svg>
            """
    }

    /// Returns SVG path data with one rectangle for each run of dark modules in a row.
    private func rectangles(ofRow row: Int) -> String {
        var path = ""
        var column = 0
        while column < width {
            let count = (column..<width).prefix { isDark(row, $0) }.count
            if count > 0 { path += "M\(column + Self.quiet) \(row + Self.quiet)h\(count)v1h-\(count)z" }
            column += max(1, count)
        }
        return path
    }

    /// The code in block characters for terminals with a dark background, with two rows of modules per line.
    package var blocks: String {
        stride(from: range.lowerBound, to: range.upperBound, by: 2).map { row in
            String(
                range.map { column -> Character in
                    switch (isDark(row, column), isDark(row + 1, column)) {
                    case (false, false): "█"
                    case (false, true): "▀"
                    case (true, false): "▄"
                    case (true, true): " "
                    }
                }
            )
        }.joined(separator: "\n")
    }
}
