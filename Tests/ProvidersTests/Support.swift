import Domain
import Foundation
import Hummingbird
import JSON
import Logging
import Providers
import Synchronization

extension ProviderCredential {
    /// Reads a credential from the parameters of a request.
    static func parse(provider: String, credential: JSONObject) throws(Rejection) -> ProviderCredential {
        try parse(provider: provider, credential: Fields(credential, path: "params.credential."))
    }
}

/// An HTTP request that a test's server has received.
struct ReceivedRequest: Sendable {
    let method: String
    let path: String
    /// The parameters in the URL and, if the body is a form, in the body.
    let query: [String: String]
    let authorization: String?
    var headers: [String: String] = [:]
    let body: String
}

/// An answer of a test's HTTP server.
struct Say: Sendable {
    var status = 200
    var body = "{}"
    var headers: HTTPFields = [:]

    static func json(_ value: JSONValue, status: Int = 200) -> Say {
        Say(status: status, body: String(decoding: value.encoded(), as: UTF8.self))
    }
}

/// The requests that a test's HTTP server has received.
final class Asked: Sendable {
    private let asks = Mutex<[ReceivedRequest]>([])

    func add(_ ask: ReceivedRequest) { asks.withLock { $0.append(ask) } }

    var all: [ReceivedRequest] { asks.withLock { $0 } }

    func count(_ path: String) -> Int { all.count { $0.path == path } }
}

/// Starts an HTTP server on a free loopback port, and runs `body` with its URL.
func withServer<R: Sendable>(
    _ handler: @escaping @Sendable (ReceivedRequest) async throws -> Say,
    _ body: @escaping @Sendable (_ url: String, _ asked: Asked) async throws -> R
) async throws -> R {
    let asked = Asked()
    let (ports, port) = AsyncStream.makeStream(of: Int.self)
    var logger = Logger(label: "server")
    logger.logLevel = .critical
    let application = Application(
        responder: CallbackResponder { (request: Request, _: BasicRequestContext) in
            let text = String(buffer: try await request.body.collect(upTo: 100_000))
            let form = text.split(separator: "&").map { $0.split(separator: "=", maxSplits: 1) }
            var query: [String: String] = [:]
            for item in request.uri.queryParameters {
                query[String(item.key)] = String(item.value)
            }
            for item in form where item.count == 2 && !text.hasPrefix("{") {
                query[String(item[0])] = String(item[1]).removingPercentEncoding
            }
            let ask = ReceivedRequest(
                method: request.method.rawValue,
                path: request.uri.path,
                query: query,
                authorization: request.headers[.authorization],
                headers: Dictionary(request.headers.map { ($0.name.canonicalName, $0.value) }) { "\($0), \($1)" },
                body: text
            )
            asked.add(ask)
            let say = try await handler(ask)
            return Response(
                status: .init(code: say.status),
                headers: say.headers,
                body: ResponseBody(byteBuffer: ByteBuffer(string: say.body))
            )
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
        logger: logger
    )
    // The server is never stopped. Hummingbird traps if it is stopped while it accepts a connection.
    let server = Task {
        defer { port.finish() }
        try await application.run()
    }
    var numbers = ports.makeAsyncIterator()
    guard let number = await numbers.next() else {
        try await server.value
        throw CancellationError()
    }
    return try await body("http://127.0.0.1:\(number)", asked)
}

/// A way to run blocking work on a new thread, while the caller's task waits.
enum BlockingCall {
    static func run<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { continuation.resume(returning: body()) }
        }
    }
}

/// Handles a request by waiting 600 seconds, which is longer than the test runs.
@Sendable
func hang(_: ReceivedRequest) async throws -> Say {
    try await Task.sleep(for: .seconds(600))
    return Say()
}

/// Calls `body` with identity providers, and shuts the providers down afterwards.
func withProviders<R>(
    _ limits: IdentityProviders.Limits = .init(),
    clock: @escaping @Sendable () -> Int64 = { 1_800_000_000 },
    _ body: (IdentityProviders) async throws -> R
) async throws -> R {
    var logger = Logger(label: "providers")
    logger.logLevel = .critical
    let providers = IdentityProviders(limits: limits, logger: logger, clock: clock)
    do {
        let result = try await body(providers)
        await providers.shutdown()
        return result
    } catch {
        await providers.shutdown()
        throw error
    }
}

/// The result of verifying a credential: the user's id at the provider, or the failure.
enum Verdict: Equatable, Sendable {
    case subject(String)
    case failure(ProviderFailure)
}

extension IdentityProviders {
    func verdict(_ credential: ProviderCredential, _ app: ProviderSettings) async -> Verdict? {
        do {
            return .subject(try await verify(credential, for: app).subject)
        } catch {
            guard case .unavailable(let seconds, let reason) = error else { return .failure(error) }
            // The reason must not be empty; another test checks its wording.
            return reason.isEmpty ? nil : .failure(.unavailable(retryAfter: seconds, because: ""))
        }
    }
}
