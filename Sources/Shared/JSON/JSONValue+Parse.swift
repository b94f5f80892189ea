extension JSONValue {
    /// Parses one JSON text.
    ///
    /// - Throws: `JSONError` with the fault and its position. The rules are described in `JSONParser`.
    package static func parse(_ bytes: UnsafeBufferPointer<UInt8>) throws(JSONError) -> JSONValue {
        var parser = JSONParser(bytes)
        return try parser.parseText()
    }

    /// Parses one JSON text, like `parse(_:)` with a buffer.
    package static func parse(_ bytes: some Collection<UInt8>) throws(JSONError) -> JSONValue {
        let outcome: Result<JSONValue, JSONError>? = bytes.withContiguousStorageIfAvailable {
            (buffer) -> Result<JSONValue, JSONError> in
            do throws(JSONError) {
                return .success(try parse(buffer))
            } catch {
                return .failure(error)
            }
        }
        if let outcome { return try outcome.get() }
        return try parse(Array(bytes))
    }
}
