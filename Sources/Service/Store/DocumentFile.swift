import Domain
import Files
package import JSON
import Problems

/// The files of the documents that an operator imports.
package enum DocumentFile {
    /// Reads a JSON object from a file, or from standard input if the name is `-`.
    ///
    /// - Throws: A `Problem`, which says where in the file the JSON is malformed.
    package static func read(_ name: String) throws -> JSONObject {
        let path = name == "-" ? "/dev/stdin" : AbsolutePath.of(name)
        guard let bytes = name == "-" ? TextFile.readStandardInput() : TextFile.readBytes(path)
        else {
            throw Problem.documentUnreadable(path: path)
        }
        let value: JSONValue
        do {
            value = try JSONValue.parse(bytes)
        } catch {
            let line = bytes.prefix(error.offset).count { $0 == UInt8(ascii: "\n") } + 1
            throw Problem.documentMalformed(place: "\(path):\(line)", why: error.description)
        }
        guard let object = value.objectValue else {
            throw Problem.documentMalformed(place: path, why: "it contains \(value.kind), not an object")
        }
        return object
    }

    /// Runs an import; if the document is refused, adds the file's name to the error.
    ///
    /// - Throws: A `Problem` with the field at fault.
    package static func importing<Value>(
        _ name: String,
        _ body: () throws -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch let refusal as Rejection {
            throw Problem.documentInvalid(
                name: name,
                place: refusal.field.map { "\(name): \($0)" } ?? name,
                faults: ([refusal] + refusal.others).map(\.message).joined(separator: "\n")
            )
        }
    }
}
