import Domain
import NIOPosix

/// A client that sends HTTP requests to outside parties, within limits of time and size (libcurl).
///
/// A call blocks one thread of a small pool until its end: there are few at a time, since each outside party has its
/// own `Breaker`.
package final class WebClient: Sendable {
    /// A request.
    struct Request: Sendable {
        var url: String
        var headers: [(name: String, value: String)] = []
        /// The body; a request with a body is a POST.
        var body: (type: String, bytes: [UInt8])?
        /// Whether it is a HEAD.
        var isHead = false
        /// The rule for the addresses to connect to, and the URL's parts that it judges; nil for an operator's URL.
        var outbound: (rule: OutboundRule, url: OutboundURL)?
        /// Called once connected: whether the request may still be sent.
        var mayBegin: @Sendable () -> Bool = { true }
    }

    /// A response, of any status.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// The seconds after which the server asks to be tried again; 0 if it doesn't say.
        var retryAfter: Int64 = 0

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// The reason why there is no response, without any address or secret.
    enum Failure: String, Error {
        case timedOut = "it did not answer in time"
        case unreachable = "it could not be reached"
        case tooLarge = "its answer was too large"
        case cancelled = "the call was cancelled"
        case withdrawn = "it was withdrawn before it was sent"
        case addressNotAllowed = "its name leads to an address that is not allowed"
    }

    /// The longest time to connect to a server.
    private static let connectTimeout = Duration.seconds(3)
    /// The maximum number of bytes of a response body.
    private static let bodyMax = 262_144

    private let threads = NIOThreadPool(numberOfThreads: 16)
    /// Calls under way, which `shutdown` cancels.
    private let transfers = OpenTransfers()

    /// Makes a client.
    package init() { threads.start() }

    deinit {
        // A service start that fails half-way doesn't shut the pool down, and the library would trap at its end.
        threads.shutdownGracefully { _ in }
    }

    /// Sends a request once; gives up at the deadline.
    func call(_ request: Request, until deadline: ContinuousClock.Instant) async throws(Failure) -> Answer {
        let transfer = WebTransfer(
            request,
            deadline: deadline,
            connectTimeout: Self.connectTimeout,
            bodyMax: Self.bodyMax
        )
        guard transfers.add(transfer) else { throw .cancelled }
        defer { transfers.remove(transfer) }
        let outcome = await withTaskCancellationHandler {
            do {
                return try await threads.runIfActive { transfer.perform() }
            } catch {
                return .failure(.cancelled)
            }
        } onCancel: {
            transfer.cancel()
        }
        return try outcome.get()
    }

    /// Requests a URL once and blocks the calling thread, for commands.
    ///
    /// Returns nil if there is no response.
    package static func body(of url: String, within timeout: Duration) -> [UInt8]? {
        let transfer = WebTransfer(
            Request(url: url),
            deadline: .now + timeout,
            connectTimeout: timeout,
            bodyMax: 1 << 20
        )
        return try? transfer.perform().get().body
    }

    /// Cancels the calls under way, and refuses further ones.
    package func shutdown() async {
        transfers.cancel()
        // The only error means that it was already shut down.
        try? await threads.shutdownGracefully()
    }
}
