import Glibc
import JSON

/// Where the command line writes: data to standard output, talk to standard error.
enum Terminal {
    /// Writes a line of talk.
    static func tell(_ text: String) {
        var line = text + "\n"
        line.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)
            while let start = rest.baseAddress, !rest.isEmpty {
                let count = write(2, start, rest.count)
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
