import CCurl
import Foundation
import Synchronization

/// Runs many HTTP calls at once on one thread (libcurl's multi interface).
///
/// Connections stay open between calls, and the calls to an HTTP/2 server share one connection. The thread runs only
/// while there are calls.
final class SharedClient: Sendable {
    private struct Call: Sendable {
        let transfer: WebTransfer
        let end: @Sendable (WebClient.Outcome) -> Void
    }

    /// A call with the handle on which it runs.
    private final class Running {
        let call: Call
        let curl: CurlHandle

        init(_ call: Call, _ curl: consuming CurlHandle) {
            self.call = call
            self.curl = curl
        }
    }

    private struct Line {
        var waiting: [Call] = []
        var hasThread = false
        var isOver = false
    }

    private let multi = CurlMulti()
    private let line = Mutex(Line())

    /// Sends a request once, and gives up at the deadline.
    func call(
        _ request: WebClient.Request,
        until deadline: ContinuousClock.Instant
    ) async throws(WebClient.Failure) -> WebClient.Answer {
        let transfer = WebTransfer(request, deadline: deadline)
        let outcome = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(Call(transfer: transfer) { continuation.resume(returning: $0) })
            }
        } onCancel: {
            transfer.cancel()
        }
        return try outcome.get()
    }

    /// Cancels the running calls, and refuses further calls.
    func shutdown() {
        line.withLock { $0.isOver = true }
        multi.wake()
    }

    private func submit(_ call: Call) {
        let mustStart: Bool? = line.withLock { line in
            guard !line.isOver else { return nil }
            defer { line.hasThread = true }
            line.waiting.append(call)
            return !line.hasThread
        }
        guard let mustStart else { return call.end(.failure(.cancelled)) }
        if mustStart { Thread.detachNewThread { self.run() } } else { multi.wake() }
    }

    // MARK: Methods that run on the client's thread

    private func run() {
        var running: [UnsafeMutableRawPointer: Running] = [:]
        while let calls = take(isIdle: running.isEmpty) {
            for call in calls { begin(call, among: &running) }
            for (handle, code) in multi.perform() {
                guard let ended = running.removeValue(forKey: handle) else { continue }
                ended.call.end(ended.call.transfer.end(on: ended.curl, code))
            }
            if line.withLock(\.isOver) {
                for (handle, call) in running {
                    multi.remove(handle)
                    call.call.end(.failure(.cancelled))
                }
                running = [:]
            }
            if !running.isEmpty { multi.wait() }
        }
    }

    /// Returns the calls to begin, or nil if the thread must end.
    private func take(isIdle: Bool) -> [Call]? {
        line.withLock { line in
            guard !isIdle || !line.waiting.isEmpty else {
                line.hasThread = false
                return nil
            }
            defer { line.waiting = [] }
            return line.waiting
        }
    }

    private func begin(_ call: Call, among running: inout [UnsafeMutableRawPointer: Running]) {
        do throws(CurlError) {
            var curl = try CurlHandle()
            try call.transfer.begin(on: &curl)
            // If a connection is being made, the call waits, because it may be able to share that connection.
            try curl.set(CURLOPT_PIPEWAIT, 1)
            let handle = curl.handle
            try multi.add(handle)
            running[handle] = Running(call, curl)
        } catch {
            call.end(.failure(call.transfer.failure(error)))
        }
    }
}

/// A group of handles that transfer data at the same time and share connections (`CURLM *`).
///
/// The type is `@unchecked Sendable` because one thread makes all calls except `wake`. Any thread may call `wake`.
private final class CurlMulti: @unchecked Sendable {
    private let multi = CurlHandle.isReady ? curl_multi_init() : nil

    /// The longest time, in milliseconds, for which `wait` blocks.
    ///
    /// This time must be short, because cancelled transfers are ended only when `wait` has returned.
    private static let waitMilliseconds: Int32 = 1_000

    deinit { curl_multi_cleanup(multi) }

    func add(_ handle: UnsafeMutableRawPointer) throws(CurlError) {
        guard multi != nil, curl_multi_add_handle(multi, handle) == CURLM_OK else { throw CurlError(CURLE_FAILED_INIT) }
    }

    func remove(_ handle: UnsafeMutableRawPointer) { curl_multi_remove_handle(multi, handle) }

    /// Ends the current call of `wait`, or makes the next call return at once if no call is running.
    func wake() { curl_multi_wakeup(multi) }

    /// Blocks until a transfer can continue, a timeout is due or `wake` is called, for at most `waitMilliseconds`.
    func wait() { curl_multi_poll(multi, nil, 0, Self.waitMilliseconds, nil) }

    /// Continues all transfers without blocking; removes the ended transfers and returns them with their results.
    func perform() -> [(handle: UnsafeMutableRawPointer, code: CURLcode)] {
        var (count, ended): (Int32, [(UnsafeMutableRawPointer, CURLcode)]) = (0, [])
        curl_multi_perform(multi, &count)
        while let message = curl_multi_info_read(multi, &count)?.pointee {
            guard message.msg == CURLMSG_DONE, let handle = message.easy_handle else { continue }
            ended.append((handle, message.data.result))
            remove(handle)
        }
        return ended
    }
}
