import Domain
import NIOPosix

/// A client that sends HTTP requests to outside parties, within limits of time and size (libcurl).
///
/// A call blocks one thread of a small pool. Callers limit how many calls run at a time.
package final class WebClient: Sendable {
    /// An HTTP request.
    struct Request: Sendable {
        var url: String
        var headers: [(name: String, value: String)] = []
        /// The body; a request with a body is a POST.
        var body: (type: String, bytes: [UInt8])?
        /// Whether the request is a HEAD.
        var isHead = false
        /// Whether the server is known to speak HTTP/2.
        var isHTTP2 = false
        /// The rule that limits the server's addresses, and the parsed URL; nil if an operator has set the URL.
        var outbound: (rule: OutboundRule, url: OutboundURL)?
        /// Returns whether the request may still be sent; called when the connection is made.
        var mayBegin: @Sendable () -> Bool = { true }
    }

    /// A response with any status.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]
        /// The number of seconds in the server's `Retry-After`, or 0 if the response has no such header.
        var retryAfter: Int64 = 0

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// The outcome of a call.
    typealias Outcome = Result<Answer, Failure>

    /// The reason why the call got no response; it contains no address or secret.
    enum Failure: String, Error {
        case timedOut = "the server did not answer in time"
        case unreachable = "the server could not be reached"
        case tooLarge = "the server's answer was too large"
        case cancelled = "the call was cancelled"
        case withdrawn = "the request was withdrawn before it was sent"
        case addressNotAllowed = "the server's name resolves to an address that is not allowed"
    }

    /// The longest time for connecting to a server.
    private static let connectTimeout = Duration.seconds(3)
    /// The maximum number of bytes of a response body.
    private static let bodyMax = 262_144

    private let threads = NIOThreadPool(numberOfThreads: 16)
    /// The running calls, which `shutdown` cancels.
    private let transfers = OpenTransfers()

    /// Makes a client.
    package init() { threads.start() }

    deinit {
        // If the service fails while it starts, `shutdown()` isn't called. The library traps if a running pool is
        // destroyed, so the pool is shut down here.
        threads.shutdownGracefully { _ in }
    }

    /// Sends a request once, and gives up at the deadline.
    func call(_ request: Request, until deadline: ContinuousClock.Instant) async throws(Failure) -> Answer {
        let (wait, max) = (Self.connectTimeout, Self.bodyMax)
        let transfer = WebTransfer(request, deadline: deadline, connectTimeout: wait, bodyMax: max)
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

    /// Requests a URL once, blocking the thread; returns the body, or nil if no response comes.
    package static func body(of url: String, within timeout: Duration) -> [UInt8]? {
        let request = Request(url: url)
        let transfer = WebTransfer(request, deadline: .now + timeout, connectTimeout: timeout, bodyMax: 1 << 20)
        return try? transfer.perform().get().body
    }

    /// Cancels the running calls, and refuses further calls.
    package func shutdown() async {
        transfers.cancel()
        // The only possible error means that the pool was already shut down.
        try? await threads.shutdownGracefully()
    }
}
