package import Domain
package import JSON
package import Web

/// An operation of the console's HTTP interface, as `schemas/http` describes it.
package struct Operation: Sendable {
    /// The work of an operation.
    package enum Work: Sendable {
        /// Work that runs on one of the console's threads and may block.
        case blocking(@Sendable (OperationCall) throws -> Reply)
        /// Work that runs on any thread and must not block.
        case waiting(@Sendable (OperationCall) async throws -> Reply)
    }

    /// The operation's id.
    package let id: String
    /// The HTTP method.
    package let method: String
    /// The path's parts below `/api/v1`, where a part in braces matches any text.
    package let path: [String]
    /// The lowest role that can run the operation, or nil if no sign-in is needed.
    package let role: OperatorRole?
    /// Whether the operation needs a session in a browser, and refuses tokens.
    package let isForBrowsers: Bool
    /// The maximum size of a request's body, in bytes.
    package private(set) var bodyMax: Int
    /// The work of the operation.
    package let work: Work

    /// The maximum sizes, in bytes, of bodies: for operations without sign-in, for other operations, and for documents.
    private static let (strangersMax, othersMax, documentsMax) = (4 << 10, 64 << 10, 1 << 20)

    /// Creates an operation that answers with a JSON object and may block.
    package init(
        _ id: String,
        _ method: String,
        _ path: String,
        role: OperatorRole?,
        isForBrowsers: Bool = false,
        _ body: @escaping @Sendable (OperationCall) throws -> JSONObject
    ) {
        let work = Work.blocking { Reply(try body($0)) }
        self.init(id, method, path, role: role, isForBrowsers: isForBrowsers, work: work)
    }

    /// Creates an operation.
    package init(
        _ id: String,
        _ method: String,
        _ path: String,
        role: OperatorRole?,
        isForBrowsers: Bool = false,
        work: Work
    ) {
        self.id = id
        self.method = method
        self.path = path.split(separator: "/").map(String.init)
        (self.role, self.isForBrowsers, self.work) = (role, isForBrowsers, work)
        bodyMax = role == nil ? Self.strangersMax : Self.othersMax
    }

    /// A copy of the operation that accepts bodies up to the maximum size of a document.
    package var takingDocument: Operation {
        var operation = self
        operation.bodyMax = Self.documentsMax
        return operation
    }

    /// Returns the values of the parameters in a path, or nil if the path belongs to another operation.
    package func match(_ path: ArraySlice<String>) -> [String: String]? {
        guard path.count == self.path.count else { return nil }
        var values: [String: String] = [:]
        for (pattern, part) in zip(self.path, path) {
            if pattern.hasPrefix("{") {
                values[String(pattern.dropFirst().dropLast())] = part
            } else if pattern != part {
                return nil
            }
        }
        return values
    }

    /// The number of parameters in the path; among matching operations, the one with the fewest parameters is run.
    package var looseness: Int { path.count { $0.hasPrefix("{") } }
}

/// The answer of an operation.
package struct Reply: Sendable {
    /// The content of an answer.
    package enum Content: Sendable {
        /// A JSON object.
        case object(JSONObject)
        /// Content of any type, which browsers save as a file.
        case file([UInt8], mediaType: String, name: String)
        /// A stream of server-sent events.
        case events(@Sendable @concurrent (inout EventWriter) async throws -> Void)
    }

    /// The content of the answer.
    package let content: Content
    /// The headers of the HTTP answer.
    package var headers: [(name: String, value: String)] = []

    /// Creates an answer.
    package init(_ content: Content) { self.content = content }

    /// Creates an answer with a JSON object.
    package init(_ object: JSONObject) { self.init(.object(object)) }

    /// The JSON object; nil if the answer has other content.
    package var object: JSONObject? {
        guard case .object(let object) = content else { return nil }
        return object
    }

    /// An answer with an empty JSON object.
    package static let empty = Reply(JSONObject())
}
