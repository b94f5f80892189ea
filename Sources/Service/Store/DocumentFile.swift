import Domain
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

    /// Runs an import and says of a refusal which file it concerns.
    ///
    /// - Throws: A `Problem` with the field at fault.
    package static func importing<Value>(
        _ name: String,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let refusal as Rejection {
            throw Problem(
                .documentInvalid,
                "\(name) does not fit its schema",
                at: refusal.field.map { "\(name): \($0)" } ?? name,
                why: refusal.message,
                cures: [.init("lamplighter explain LL1202", "which schema that is")]
            )
        }
    }
}
