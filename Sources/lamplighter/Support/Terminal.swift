import Glibc
import JSON

/// The output of the command line: data on standard output, messages on standard error.
///
/// No text that is written here can steer the terminal; where lines may not be forged either, what came
/// from outside goes through `PlainText` before.
enum Terminal {
    /// Writes a line to standard error.
    static func tell(_ text: String) { write(text, to: 2) }

    /// Writes a line of data at once, also where a program reads along.
    static func show(line text: String) { write(text, to: 1) }

    /// Writes a line to standard error over the previous one, so that it stays where it is.
    ///
    /// Where standard error is not a terminal, lines follow each other.
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

    /// Returns a JSON value as one line that can be shown as it is.
    static func json(_ value: JSONValue) -> String {
        PlainText.of(String(decoding: value.encoded(), as: UTF8.self))
    }

    /// Writes a JSON value as one line of data.
    static func show(_ value: JSONValue) {
        print(json(value))
    }
}
