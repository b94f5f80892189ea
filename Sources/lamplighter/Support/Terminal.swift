import Glibc
import JSON

/// Where the command line writes: data to standard output, talk to standard error.
enum Terminal {
    /// Writes a line of talk.
    static func tell(_ text: String) { write(text, to: 2) }

    /// Writes a line of data at once, also where a program reads along.
    static func show(line text: String) { write(text, to: 1) }

    private static func write(_ text: String, to descriptor: Int32) {
        write(Array((text + "\n").utf8), to: descriptor)
    }

    /// Writes data that is no text.
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

    /// Writes a JSON value as one line of data.
    static func show(_ value: JSONValue) {
        print(String(decoding: value.encoded(), as: UTF8.self))
    }
}
