import CQREncode

/// A text as a QR code: a square of dark and light modules (libqrencode).
///
/// It is drawn as SVG for pages and labels, as PNG for files, and with block characters for terminals, always with the
/// quiet zone that scanners need.
package struct QRCode: Sendable {
    /// The number of modules of each side.
    package let width: Int
    private let dark: [Bool]

    /// The light modules on each side around the code, as its standard requires.
    static let quiet = 4

    /// Encodes a text with medium error correction; nil for one that is too long for a code, or empty.
    ///
    /// `QRcode_encodeData` makes the smallest code that holds it; the result is freed here.
    package init?(_ text: String) {
        let bytes = Array(text.utf8)
        guard let code = QRcode_encodeData(Int32(bytes.count), bytes, 0, QR_ECLEVEL_M) else { return nil }
        defer { QRcode_free(code) }
        width = Int(code.pointee.width)
        guard let modules = code.pointee.data else { return nil }
        // The lowest bit of a module says whether it is dark.
        dark = UnsafeBufferPointer(start: modules, count: width * width).map { $0 & 1 == 1 }
    }

    /// Returns whether a module is dark; modules around the code are light.
    func isDark(_ row: Int, _ column: Int) -> Bool {
        (0..<width).contains(row) && (0..<width).contains(column) && dark[row * width + column]
    }

    /// The modules without the quiet zone, a text of 0 and 1 for each row.
    package var rows: [String] {
        (0..<width).map { row in
            (0..<width).map { isDark(row, $0) ? "1" : "0" }.joined()
        }
    }

    /// The rows or columns with the quiet zone around.
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

    /// Returns one rectangle for each run of dark modules.
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

    /// The code in block characters, two rows to a line, light modules drawn, for dark terminals.
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
