import Glibc
import JSON
import Problems

/// The output of commands: data goes to standard output, and messages go to standard error.
///
/// Text that these methods write can't control the terminal. If text from outside must not contain line breaks, the
/// caller first escapes it with `PlainText`.
enum Terminal {
    /// Writes a line to standard error.
    static func tell(_ text: String) { write(text, to: 2) }

    /// Writes a problem to standard error, with a red `error` if colours are shown.
    static func tell(_ problem: Problem) {
        let text = PlainText.of(problem.text, keepsLines: true)
        guard isColoured, text.hasPrefix("error ") else { return tell(text) }
        write(Array("\u{1B}[1;31merror\u{1B}[0m\(text.dropFirst(5))\n".utf8), to: 2)
    }

    /// Whether standard error shows colours, which a non-empty `NO_COLOR` forbids (https://no-color.org).
    private static var isColoured: Bool {
        let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
        let isDumb = getenv("TERM").map { String(cString: $0) == "dumb" } ?? true
        return isatty(2) == 1 && !isUnwanted && !isDumb
    }

    /// Asks for confirmation; returns false without asking if standard input or standard error is no terminal.
    static func confirms(_ question: String) -> Bool {
        guard isatty(0) == 1, isatty(2) == 1 else { return false }
        write(Array("\(PlainText.of(question)) [y/N] ".utf8), to: 2)
        fflush(nil)
        return ["y", "yes"].contains(readLine()?.lowercased())
    }

    /// Writes a line of data without a buffer, so readers get it at once.
    static func show(line text: String) { write(text, to: 1) }

    /// Writes a line to standard error; on a terminal, the line replaces the previous line.
    static func progress(_ text: String) {
        if isatty(2) == 1 { write(Array("\u{1B}[1A\u{1B}[2K".utf8), to: 2) }
        tell(text)
    }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array((PlainText.of(text, keepsLines: true) + "\n").utf8), to: descriptor)
    }

    /// Writes binary data.
    static func show(bytes: [UInt8]) { write(bytes, to: 1) }

    private static func write(_ bytes: [UInt8], to descriptor: Int32) {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = Glibc.write(descriptor, start, rest.count)
                guard count > 0 else { return }
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count))
            }
        }
    }

    /// Returns a JSON value as one line that is safe to show.
    static func json(_ value: JSONValue) -> String { PlainText.of(String(decoding: value.encoded(), as: UTF8.self)) }

    /// Writes a JSON value as one line of data.
    static func show(_ value: JSONValue) {
        print(json(value))
    }
}
