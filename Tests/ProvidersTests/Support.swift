import Domain
import Hummingbird
import JSON
import Logging
import Providers
import Synchronization

/// What a fake provider was asked.
struct ReceivedRequest: Sendable {
    let method: String
    let path: String
    /// Of the address, or of the form.
    let query: [String: String]
    let authorization: String?
    let body: String
}

/// What it answers.
struct Say: Sendable {
    var status = 200
    var body = "{}"

    static func json(_ value: JSONValue, status: Int = 200) -> Say {
        Say(status: status, body: String(decoding: value.encoded(), as: UTF8.self))
    }
}

/// Keeps what a server was asked.
final class Asked: Sendable {
    private let asks = Mutex<[ReceivedRequest]>([])

    func add(_ ask: ReceivedRequest) { asks.withLock { $0.append(ask) } }

    var all: [ReceivedRequest] { asks.withLock { $0 } }

    func count(_ path: String) -> Int { all.count { $0.path == path } }
}

/// Runs an HTTP server on a free port of the loopback while `body` does.
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
                query[String(item[0])] = String(item[1])
            }
            let ask = ReceivedRequest(
                method: request.method.rawValue,
                path: request.uri.path,
                query: query,
                authorization: request.headers[.authorization],
                body: text
            )
            asked.add(ask)
            let say = try await handler(ask)
            return Response(
                status: .init(code: say.status),
                body: ResponseBody(byteBuffer: ByteBuffer(string: say.body))
            )
        },
        configuration: ApplicationConfiguration(address: .hostname("127.0.0.1", port: 0)),
        onServerRunning: { channel in port.yield(channel.localAddress?.port ?? 0) },
        logger: logger
    )
    return try await withThrowingTaskGroup(of: R?.self) { group in
        group.addTask {
            try await application.run()
            return nil
        }
        var number = 0
        for await port in ports {
            number = port
            break
        }
        let url = "http://127.0.0.1:\(number)"
        defer { group.cancelAll() }
        return try await body(url, asked)
    }
}

/// Never answers, until the test is over.
@Sendable
func hang(_: ReceivedRequest) async throws -> Say {
    try await Task.sleep(for: .seconds(600))
    return Say()
}

/// Identity providers that ask for the duration of `body`.
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

/// What became of a verification.
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
            // Which words an operator gets is another test's matter; that there are some is not.
            return reason.isEmpty ? nil : .failure(.unavailable(retryAfter: seconds, because: ""))
        }
    }
}
