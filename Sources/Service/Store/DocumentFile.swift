package import JSON

/// Reads the documents that an operator imports.
package enum DocumentFile {
    /// Reads a JSON object from a file, or from standard input for `-`.
    ///
    /// - Throws: A `Problem` with the place in the file where it is malformed.
    package static func read(_ name: String) throws -> JSONObject {
        let path = name == "-" ? "/dev/stdin" : AbsolutePath.of(name)
        guard let bytes = TextFile.readBytes(path) else {
            throw Problem(
                .documentUnreadable,
                "\(path) cannot be read",
                at: path,
                why: "no such file, not readable by this user, or larger than 4 MiB"
            )
        }
        do {
            guard let object = try JSONValue.parse(bytes).objectValue else {
                throw invalid(path, "it is not a JSON object")
            }
            return object
        } catch let error as JSONError {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw Problem(
                .documentUnreadable,
                "\(path):\(line) is not JSON",
                at: "\(path):\(line)",
                why: error.description
            )
        }
    }

    static func invalid(_ place: String, _ why: String) -> Problem {
        Problem(
            .documentInvalid,
            "\(place) does not fit its schema",
            at: place,
            why: why,
            cures: [.init("lamplighter explain LL1202", "which schema that is")]
        )
    }
}
