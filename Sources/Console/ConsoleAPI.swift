import Administration
import Domain
import JSON
import Logging
import Service
import ServiceSettings
package import Web

/// The responder to requests for the console's files and for the operations below `/api/v1`.
package struct ConsoleAPI: ConsoleResponder {
    private let context: ConsoleContext
    private let access: Access
    private let failures: FailedSignIns
    private let requests: VisitLimit
    private let files: ConsoleFiles
    private let hub: LiveHub
    private let operations: [Operation]
    private let logger = Logger(label: "lamplighter.console")

    /// Creates the console for one run of the service.
    package init(_ context: ConsoleContext) {
        self.context = context
        access = Access(store: context.store, isSecure: context.run.consoleIsSecure)
        files = ConsoleFiles(directory: context.settings.consoleDirectory)
        failures = FailedSignIns(context)
        requests = FailedSignIns.limit(OperatorSignIn.requestsPerAddress)
        let hub = LiveHub(context, access)
        self.hub = hub
        operations =
            SignIn(context, access, failures: failures).operations + hub.operations
            + [hub.overview.operation] + Operations.all
    }

    package func stop() { hub.stop() }

    package func answer(_ request: ConsoleRequest, reading read: BodyReader) async -> ConsoleAnswer {
        guard request.path.first == "api" else { return files.answer(request) }
        do {
            return try await operate(request, read)
        } catch {
            let refused = Refused(error)
            if refused.status == 500 {
                let path = request.path.joined(separator: "/")
                logger.error("an operation of the console failed", metadata: ["path": "\(path)", "reason": "\(error)"])
            }
            return Self.problem(refused)
        }
    }

    private func operate(_ request: ConsoleRequest, _ read: BodyReader) async throws -> ConsoleAnswer {
        guard request.path.prefix(2) == ["api", "v1"] else { throw Refused.notFound("such interface; use /api/v1") }
        let (operation, parameters) = try find(request)
        let (caller, rank) = try await caller(of: request, for: operation)
        guard let body = await read(operation.bodyMax) else {
            let detail = "The body can have at most \(operation.bodyMax) bytes."
            throw Refused(413, ErrorCode.invalidRequest.rawValue, detail)
        }
        let context = context
        let call: @Sendable () throws -> OperationCall = {
            var request = request
            request.body = body
            let hasToken = caller != nil && request.header("authorization") != nil
            try Access.requireOwnPage(request, hasToken: hasToken)
            return OperationCall(
                operation,
                with: parameters,
                request: request,
                body: try Self.object(body),
                by: caller ?? .nobody,
                in: context.operations
            )
        }
        let reply =
            switch operation.work {
            case .blocking(let work): try await context.threads.run(rank) { try work(call()) }
            case .waiting(let work): try await work(context.threads.run(rank, call))
            }
        return Self.answer(reply)
    }

    /// Returns the caller of a request, and the rank with which the request's work waits for a thread.
    ///
    /// This function is called before the request's body is read. The caller is nil if the operation needs no caller.
    private func caller(
        of request: ConsoleRequest,
        for operation: Operation
    ) async throws -> (Caller?, OperationThreads.Rank) {
        guard let least = operation.role else { return (nil, requests.admit(request.address) ? .stranger : .crowd) }
        guard access.hasProof(request) else { throw Refused.unauthorized }
        let (access, context, failures) = (access, context, failures)
        let found = try await context.threads.run(.lookup) { try access.caller(request, at: context.now) }
        if found == nil, request.header("authorization") != nil {
            try await context.threads.run(.stranger) { try failures.tell(.token, from: request.address) }
        }
        try Self.admit(found, to: operation, from: least, with: request)
        return (found, .operator)
    }

    /// Returns the operation that a request names, and the values of the path's parameters.
    private func find(_ request: ConsoleRequest) throws -> (Operation, [String: String]) {
        let path = request.path.dropFirst(2)
        let fitting = operations.compactMap { operation in operation.match(path).map { (operation, $0) } }
        guard !fitting.isEmpty else { throw Refused.notFound("such path; see the OpenAPI document") }
        let found = fitting.filter { $0.0.method == request.method }.min { $0.0.looseness < $1.0.looseness }
        guard let found else { throw Refused(405, "InvalidRequest", "This path has no such operation.") }
        return found
    }

    private static func admit(
        _ caller: Caller?,
        to operation: Operation,
        from least: OperatorRole,
        with request: ConsoleRequest
    ) throws {
        guard let caller else { throw Refused.unauthorized }
        guard caller.role >= least else {
            throw Refused(403, "Forbidden", "This needs the role \(least.rawValue); you have \(caller.role.rawValue).")
        }
        guard !(operation.isForBrowsers && request.header("authorization") != nil) else {
            throw Refused(403, "Forbidden", "A token can't do this; sign in to the console.")
        }
    }

    /// The maximum number of values in a body, because comparing two documents takes long if they have many values.
    static let valuesMax = 20_000

    /// Parses a body, or refuses it unparsed if it has too many values.
    static func object(_ body: [UInt8]) throws -> JSONObject {
        guard !body.isEmpty else { return [:] }
        guard body.count(where: { $0 == UInt8(ascii: ",") }) < valuesMax else {
            throw Refused(413, ErrorCode.invalidRequest.rawValue, "The body can have at most \(valuesMax) values.")
        }
        do {
            guard let object = try JSONValue.parse(body).objectValue else {
                throw Refused.invalid("", "The body must be a JSON object.")
            }
            return JSONObject(members: object.members.filter { $0.value != .null })
        } catch let error as JSONError { throw Refused.invalid("", "The body is not JSON: \(error.description).") }
    }

    private static func answer(_ reply: Reply) -> ConsoleAnswer {
        var headers = reply.headers
        let (mediaType, body): (String, ConsoleAnswer.Body)
        switch reply.content {
        case .object(let object): (mediaType, body) = ("application/json", .bytes(object.encoded()))
        case .file(let bytes, let type, let name):
            headers.append(("Content-Disposition", "attachment; filename=\"\(name)\""))
            (mediaType, body) = (type, .bytes(bytes))
        case .events(let write):
            headers += [("X-Accel-Buffering", "no"), ("Cache-Control", "no-store")]
            (mediaType, body) = ("text/event-stream", .stream(write))
        }
        return ConsoleAnswer(200, headers: [("Content-Type", mediaType)] + headers, body: body)
    }

    private static func problem(_ refused: Refused) -> ConsoleAnswer {
        var headers = [(name: "Content-Type", value: "application/problem+json")]
        if let seconds = refused.retryAfter { headers.append(("Retry-After", "\(seconds)")) }
        if refused.status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
        return ConsoleAnswer(refused.status, headers: headers, body: .bytes(refused.json.encoded()))
    }
}
