import CCurl
import Synchronization

/// One HTTP call of libcurl: the request, its deadline, and the response so far.
///
/// `perform` runs on one thread; any thread may call `cancel`.
final class WebTransfer: Sendable {
    private let request: WebClient.Request
    private let deadline: ContinuousClock.Instant
    private let connectTimeout: Duration
    private let isCancelled = Atomic<Bool>(false)
    private let received: Mutex<Body>

    private struct Body {
        var bytes: [UInt8] = []
        let bytesMax: Int
    }

    init(_ request: WebClient.Request, deadline: ContinuousClock.Instant, connectTimeout: Duration, bodyMax: Int) {
        self.request = request
        self.deadline = deadline
        self.connectTimeout = connectTimeout
        received = Mutex(Body(bytesMax: bodyMax))
    }

    /// Ends the call as soon as libcurl asks whether to go on, about a second later at most.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Sends the request and blocks until the response.
    func perform() -> Result<WebClient.Answer, WebClient.Failure> {
        let left = milliseconds(deadline - .now)
        guard left > 0 else { return .failure(.timedOut) }
        do {
            var curl = try CurlHandle()
            try prepare(&curl, left)
            let status = try curl.perform(receivingInto: self)
            let bytes = received.withLock { body in body.bytes }
            return .success(WebClient.Answer(status: status, body: bytes))
        } catch {
            return .failure(failure(error))
        }
    }

    private func prepare(_ curl: inout CurlHandle, _ left: Int) throws(CurlError) {
        try curl.set(CURLOPT_URL, request.url)
        // Follows no redirects, as is libcurl's default: they would carry secrets to strangers.
        try curl.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try curl.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try curl.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(left, milliseconds(connectTimeout))))
        try curl.set(CURLOPT_TIMEOUT_MS, left)
        try curl.set(CURLOPT_USERAGENT, "lamplighter")
        var headers = ["Accept: application/json"]
        headers += request.headers.map { "\($0.name): \($0.value)" }
        if let body = request.body {
            // Without `Expect: 100-continue`, whose answer libcurl would wait for.
            headers += ["Content-Type: \(body.type)", "Expect:"]
            try curl.set(CURLOPT_POST, 1)
            try curl.set(body: body.bytes)
        }
        if request.isHead { try curl.set(CURLOPT_NOBODY, 1) }
        try curl.set(CURLOPT_HTTPHEADER, list: headers)
    }

    private func failure(_ error: CurlError) -> WebClient.Failure {
        if isCancelled.load(ordering: .relaxed) { return .cancelled }
        switch error.code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        // Only `append` ends a call this way.
        case CURLE_WRITE_ERROR: return .tooLarge
        default: return .unreachable
        }
    }

    private func milliseconds(_ duration: Duration) -> Int { Int(clamping: Int64(duration / .milliseconds(1))) }

    // MARK: Called by libcurl

    /// Appends a piece of the response; returns false if it becomes too large.
    fileprivate func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        received.withLock { body in
            guard piece.count <= body.bytesMax - body.bytes.count else { return false }
            body.bytes.append(contentsOf: piece)
            return true
        }
    }

    fileprivate var mustEnd: Bool { isCancelled.load(ordering: .relaxed) }
}

extension CurlHandle {
    /// Performs a transfer whose response the object receives; returns the status.
    fileprivate mutating func perform(
        receivingInto transfer: WebTransfer
    ) throws(CurlError) -> Int {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try setDownload(takeDownload, context)
        try setProgress(watchProgress, context)
        return try withExtendedLifetime(transfer) { () throws(CurlError) in try perform() }
    }
}

/// `CURLOPT_WRITEFUNCTION`: any result but the number of bytes ends the transfer.
private func takeDownload(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return 0 }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let piece = UnsafeRawBufferPointer(start: buffer, count: size * count)
    // An empty piece can't be refused.
    return piece.isEmpty || transfer.append(piece) ? piece.count : 0
}

/// `CURLOPT_XFERINFOFUNCTION`: any result but 0 ends the transfer; called about once a second.
private func watchProgress(
    _ context: UnsafeMutableRawPointer?,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t,
    _: curl_off_t
) -> Int32 {
    guard let context else { return 0 }
    return Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().mustEnd ? 1 : 0
}
