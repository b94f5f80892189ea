import Domain
import JSON
import Logging
import ServiceSettings
package import Web

/// Answers the console's requests: its files, and the operations below `/api/v1`.
package struct ConsoleAPI: ConsoleResponder {
    private let context: ConsoleContext
    private let access: Access
    private let files: ConsoleFiles
    private let hub: LiveHub
    private let operations: [Operation]
    private let logger = Logger(label: "lamplighter.console")

    /// Makes the console of a run.
    package init(_ context: ConsoleContext) {
        self.context = context
        access = Access(store: context.store, isSecure: context.isSecure)
        files = ConsoleFiles(directory: context.settings.consoleDirectory)
        let hub = LiveHub(context, access)
        self.hub = hub
        operations = Operations.all(context, access, hub: hub)
    }

    package func stop() { hub.stop() }

    package func answer(_ request: ConsoleRequest) async -> ConsoleAnswer {
        guard request.path.first == "api" else { return files.answer(request) }
        do {
            return try await operate(request)
        } catch {
            let refused = Refused(error)
            if refused.status == 500 {
                logger.error(
                    "an operation of the console failed",
                    metadata: [
                        "path": "\(request.path.joined(separator: "/"))", "reason": "\(error)",
                    ]
                )
            }
            return Self.problem(refused)
        }
    }

    private func operate(_ request: ConsoleRequest) async throws -> ConsoleAnswer {
        guard request.path.prefix(2) == ["api", "v1"] else {
            throw Refused.notFound("such interface; there is /api/v1")
        }
        let (operation, parameters) = try find(request)
        let (access, context) = (access, context)
        let call = try await context.threads.run { () throws -> ConsoleCall in
            let caller = try access.caller(request, at: context.now)
            try Self.admit(caller, to: operation, request)
            return ConsoleCall(
                request: request,
                operation: operation,
                parameters: parameters,
                context: context,
                caller: caller ?? .nobody,
                body: try Self.body(request)
            )
        }
        let reply =
            switch operation.work {
            case .blocking(let body): try await context.threads.run { try body(call) }
            case .waiting(let body): try await body(call)
            }
        return ConsoleAnswer(
            200,
            headers: [("Content-Type", reply.mediaType)] + reply.headers,
            body: reply.body
        )
    }

    /// Returns the operation of a request, with the parameters in its path.
    private func find(_ request: ConsoleRequest) throws -> (Operation, [String: String]) {
        let path = request.path.dropFirst(2)
        let fitting = operations.compactMap { operation in
            operation.match(path).map { (operation, $0) }
        }
        guard !fitting.isEmpty else {
            throw Refused.notFound("such path; see the OpenAPI document")
        }
        let found = fitting.filter { $0.0.method == request.method }
            .min { $0.0.looseness < $1.0.looseness }
        guard let found else {
            throw Refused(405, "InvalidRequest", "This path has no such operation.")
        }
        return found
    }

    private static func admit(
        _ caller: Caller?,
        to operation: Operation,
        _ request: ConsoleRequest
    ) throws {
        let hasToken = request.header("authorization") != nil
        guard let least = operation.role else {
            return try Access.requireOwnPage(request, hasToken: false)
        }
        guard let caller else { throw Refused.unauthorized }
        guard caller.role >= least else {
            throw Refused(
                403,
                "Forbidden",
                "This needs the role \(least.rawValue); you have \(caller.role.rawValue)."
            )
        }
        guard !(operation.isForBrowsers && hasToken) else {
            throw Refused(403, "Forbidden", "A token can't do this; sign in to the console.")
        }
        try Access.requireOwnPage(request, hasToken: hasToken)
    }

    private static func body(_ request: ConsoleRequest) throws -> JSONObject {
        guard !request.body.isEmpty else { return [:] }
        do {
            guard let object = try JSONValue.parse(request.body).objectValue else {
                throw Refused.invalid("", "The body is a JSON object.")
            }
            return JSONObject(members: object.members.filter { $0.value != .null })
        } catch let error as JSONError {
            throw Refused.invalid("", "The body is no JSON: \(error.description).")
        }
    }

    private static func problem(_ refused: Refused) -> ConsoleAnswer {
        var headers = [(name: "Content-Type", value: "application/problem+json")]
        if let seconds = refused.retryAfter { headers.append(("Retry-After", "\(seconds)")) }
        if refused.status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
        return ConsoleAnswer(
            refused.status,
            headers: headers,
            body: .bytes(refused.json.encoded())
        )
    }
}
