import NIOPosix
import Synchronization

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
    }

    /// A response, of any status.
    struct Answer: Sendable {
        let status: Int
        let body: [UInt8]

        var isSuccess: Bool { (200...299).contains(status) }
    }

    /// The reason why there is no response, without any address or secret.
    enum Failure: String, Error {
        case timedOut = "it did not answer in time"
        case unreachable = "it could not be reached"
        case tooLarge = "its answer was too large"
        case cancelled = "the call was cancelled"
    }

    /// The longest time to connect to a server.
    private static let connectTimeout = Duration.seconds(3)
    /// The maximum number of bytes of a response body.
    private static let bodyMax = 262_144

    private let threads = NIOThreadPool(numberOfThreads: 16)
    /// Calls under way, to be cancelled by `shutdown`; nil after it.
    private let transfers = Mutex<[ObjectIdentifier: WebTransfer]?>([:])

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
        guard register(transfer) else { throw .cancelled }
        defer { transfers.withLock { _ = $0?.removeValue(forKey: ObjectIdentifier(transfer)) } }
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

    /// Registers a call; returns false after `shutdown`.
    private func register(_ transfer: WebTransfer) -> Bool {
        transfers.withLock { transfers in
            guard transfers != nil else { return false }
            transfers?[ObjectIdentifier(transfer)] = transfer
            return true
        }
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
        let open = transfers.withLock { transfers in
            defer { transfers = nil }
            return transfers
        }
        for transfer in (open ?? [:]).values { transfer.cancel() }
        // The only error means that it was already shut down.
        try? await threads.shutdownGracefully()
    }
}
