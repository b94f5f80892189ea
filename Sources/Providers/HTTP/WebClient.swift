import AsyncHTTPClient
import NIOCore
import NIOHTTP1

/// Speaks HTTP with the world outside, within a time and a size.
package final class WebClient: Sendable {
    /// What is asked.
    struct Request: Sendable {
        var url: String
        var headers: [(name: String, value: String)] = []
        /// With a body it is a POST.
        var body: (type: String, bytes: [UInt8])?
    }

    /// What came back, whatever its status says.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// Why nothing came back; no address and no secret is in it.
    enum Failure: String, Error {
        case timedOut = "it did not answer in time"
        case unreachable = "it could not be reached"
        case tooLarge = "its answer was too large"
        case cancelled = "the call was cancelled"
    }

    private let client: HTTPClient
    private let bodyMax: Int

    /// Makes a client.
    ///
    /// - Parameters:
    ///   - connectTimeout: How long reaching a server may take.
    ///   - bodyMax: How many bytes an answer may have.
    package init(connectTimeout: Duration = .seconds(3), bodyMax: Int = 262_144) {
        var configuration = HTTPClient.Configuration()
        configuration.timeout.connect = .nanoseconds(Int64(connectTimeout / .nanoseconds(1)))
        // A redirect would carry secrets to who knows whom.
        configuration.redirectConfiguration = .disallow
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 16
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
        self.bodyMax = bodyMax
    }

    deinit {
        // Where a start fails half-way nobody shuts it down, and the library would trap at its end.
        Task.detached { [client] in try? await client.shutdown() }
    }

    /// Asks once; gives up at the deadline, wherever it is by then.
    func call(
        _ request: Request,
        until deadline: ContinuousClock.Instant
    ) async throws(Failure) -> Answer {
        let outcome = await withTaskGroup(of: Result<Answer, Failure>.self) { group in
            group.addTask { await self.perform(request) }
            group.addTask {
                try? await Task.sleep(until: deadline)
                return .failure(Task.isCancelled ? .cancelled : .timedOut)
            }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(.cancelled)
        }
        return try outcome.get()
    }

    private func perform(_ request: Request) async -> Result<Answer, Failure> {
        var outgoing = HTTPClientRequest(url: request.url)
        outgoing.headers.add(name: "user-agent", value: "lamplighter")
        outgoing.headers.add(name: "accept", value: "application/json")
        for header in request.headers {
            outgoing.headers.add(name: header.name, value: header.value)
        }
        if let body = request.body {
            outgoing.method = .POST
            outgoing.headers.add(name: "content-type", value: body.type)
            outgoing.body = .bytes(body.bytes)
        }
        do {
            // The group's other task keeps the time.
            let answer = try await client.execute(outgoing, timeout: .seconds(120))
            let body = try await answer.body.collect(upTo: bodyMax)
            let bytes = Array(body.readableBytesView)
            return .success(Answer(status: Int(answer.status.code), body: bytes))
        } catch is NIOTooManyBytesError {
            return .failure(.tooLarge)
        } catch let error as HTTPClientError
            where error == .connectTimeout || error == .deadlineExceeded || error == .readTimeout
        {
            return .failure(.timedOut)
        } catch {
            return .failure(Task.isCancelled ? .cancelled : .unreachable)
        }
    }

    /// Closes all connections; what is under way fails.
    package func shutdown() async {
        // The only error says that it was shut down before.
        try? await client.shutdown()
    }
}
