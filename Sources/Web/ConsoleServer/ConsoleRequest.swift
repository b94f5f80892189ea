/// A request to the console, independent of its HTTP form.
package struct ConsoleRequest: Sendable {
    /// The HTTP method, such as `GET` or `POST`.
    package var method: String
    /// The parts of the path, percent-decoded and without empty parts, such as `["api", "v1", "devices"]`.
    package var path: [String]
    /// The parameters of the query, with only the first value of a repeated name.
    package var query: [String: String]
    /// The body, which is empty until it has been read.
    package var body: [UInt8]
    /// The client's IPv4 address, or the /64 network of its IPv6 address.
    package var address: String
    private var headers: [String: String]

    /// Creates a request; the names of headers are in lower case.
    package init(
        method: String,
        path: [String],
        query: [String: String],
        headers: [String: String],
        body: [UInt8],
        address: String
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.headers = headers
        self.body = body
        self.address = address
    }

    /// Creates a request that has only a query, for an operation that isn't requested over HTTP.
    package init(query: [String: String]) {
        self.init(method: "", path: [], query: query, headers: [:], body: [], address: "")
    }

    /// Returns a header by its name in lower case.
    package func header(_ name: String) -> String? { headers[name] }

    /// Returns the value of a cookie.
    package func cookie(_ name: String) -> String? {
        for pair in headers["cookie"]?.split(separator: ";") ?? [] {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == name else { continue }
            return String(parts[1])
        }
        return nil
    }
}

/// The console's answer to a request.
package struct ConsoleAnswer: Sendable {
    /// The body of an answer.
    package enum Body: Sendable {
        /// The whole body.
        case bytes([UInt8])
        /// A body that a function writes in parts, until it returns or throws an error.
        case stream(@Sendable @concurrent (inout EventWriter) async throws -> Void)
    }

    /// The status code.
    package var status: Int
    /// The headers, which are sent in this order and with this spelling.
    package var headers: [(name: String, value: String)]
    /// The body.
    package var body: Body

    /// Creates an answer.
    package init(_ status: Int, headers: [(name: String, value: String)], body: Body) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }
}

/// Reads a request's body, or returns nil if it has more than `max` bytes.
package typealias BodyReader = @Sendable (_ max: Int) async -> [UInt8]?

/// The console's handler of requests, which `Web` calls for HTTP requests.
package protocol ConsoleResponder: Sendable {
    /// Answers a request without blocking, and calls `read` for the body at most once.
    func answer(_ request: ConsoleRequest, reading read: BodyReader) async -> ConsoleAnswer
    /// Ends the open streams when the service stops.
    func stop()
}
