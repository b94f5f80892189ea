import NIOPosix
import Synchronization

/// Sends HTTP requests to outside parties, within a time and a size (libcurl).
///
/// A call blocks one thread of a small pool until its end: there are few at a time, since each outside party has its
/// own `Breaker`.
package final class WebClient: Sendable {
    /// A request.
    struct Request: Sendable {
        var url: String
        var headers: [(name: String, value: String)] = []
        /// With a body it is a POST.
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

    /// Why there is no response; it holds no address and no secret.
    enum Failure: String, Error {
        case timedOut = "it did not answer in time"
        case unreachable = "it could not be reached"
        case tooLarge = "its answer was too large"
        case cancelled = "the call was cancelled"
    }

    /// How long reaching a server may take.
    private static let connectTimeout = Duration.seconds(3)
    /// How many bytes an answer may have.
    private static let bodyMax = 262_144

    private let threads = NIOThreadPool(numberOfThreads: 16)
    /// Calls under way, to be cancelled by `shutdown`; nil after it.
    private let transfers = Mutex<[ObjectIdentifier: WebTransfer]?>([:])

    /// Makes a client.
    package init() { threads.start() }

    deinit {
        // A start that fails half-way does not shut it down, and the library would trap at its end.
        threads.shutdownGracefully { _ in }
    }

    /// Asks once; gives up at the deadline, wherever it is by then.
    func call(
        _ request: Request,
        until deadline: ContinuousClock.Instant
    ) async throws(Failure) -> Answer {
        let transfer = WebTransfer(
            request,
            deadline: deadline,
            connectTimeout: Self.connectTimeout,
            bodyMax: Self.bodyMax
        )
        guard begin(transfer) else { throw .cancelled }
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

    /// False after `shutdown`.
    private func begin(_ transfer: WebTransfer) -> Bool {
        transfers.withLock { transfers in
            guard transfers != nil else { return false }
            transfers?[ObjectIdentifier(transfer)] = transfer
            return true
        }
    }

    /// Asks once on the calling thread, which waits: for commands.
    ///
    /// Nil where nothing came.
    package static func body(of url: String, within timeout: Duration) -> [UInt8]? {
        let transfer = WebTransfer(
            Request(url: url),
            deadline: .now + timeout,
            connectTimeout: timeout,
            bodyMax: 1 << 20
        )
        return try? transfer.perform().get().body
    }

    /// Ends what is under way, and takes no call any more.
    package func shutdown() async {
        let open = transfers.withLock { transfers in
            defer { transfers = nil }
            return transfers
        }
        for transfer in (open ?? [:]).values { transfer.cancel() }
        // The only error says that it was shut down before.
        try? await threads.shutdownGracefully()
    }
}
