import CCurl
import Domain
import Glibc
import Synchronization

/// One HTTP call of libcurl, with the request, the deadline, and the response so far.
///
/// `perform` runs on one thread, but any thread may call `cancel`.
final class WebTransfer: Sendable {
    private let request: WebClient.Request
    private let deadline: ContinuousClock.Instant
    private let connectTimeout: Duration
    private let isCancelled = Atomic<Bool>(false)
    private let wasRefused = Atomic<Bool>(false)
    private let received: Mutex<Body>

    private struct Body {
        var bytes: [UInt8] = []
        let bytesMax: Int
    }

    /// Makes a call that gives up if connecting takes too long, or if the answer exceeds `bodyMax` bytes.
    init(
        _ request: WebClient.Request,
        deadline: ContinuousClock.Instant,
        connectTimeout: Duration = .seconds(5),
        bodyMax: Int = 65_536
    ) {
        (self.request, self.deadline, self.connectTimeout) = (request, deadline, connectTimeout)
        received = Mutex(Body(bytesMax: bodyMax))
    }

    /// Ends the call when libcurl next asks whether to continue, which it does about once a second.
    func cancel() { isCancelled.store(true, ordering: .relaxed) }

    /// Sends the request, and blocks until the response has arrived.
    func perform() -> WebClient.Outcome {
        do throws(CurlError) {
            var curl = try CurlHandle()
            return perform(on: &curl)
        } catch {
            return .failure(failure(error))
        }
    }

    /// Sends the request, over an open connection if possible, and blocks until the response has arrived.
    func perform(on curl: inout CurlHandle) -> WebClient.Outcome {
        do throws(CurlError) {
            curl.reset()
            try begin(on: &curl)
            return try withExtendedLifetime(self) { () throws(CurlError) in answer(try curl.perform(), on: curl) }
        } catch {
            return .failure(failure(error))
        }
    }

    /// Returns the outcome of a transfer, given the result with which libcurl ended it.
    func end(on curl: borrowing CurlHandle, _ code: CURLcode) -> WebClient.Outcome {
        do throws(CurlError) { return answer(try curl.status(after: code), on: curl) } catch {
            return .failure(failure(error))
        }
    }

    private func answer(_ status: Int, on curl: borrowing CurlHandle) -> WebClient.Outcome {
        .success(WebClient.Answer(status: status, body: received.withLock(\.bytes), retryAfter: curl.retryAfter))
    }

    /// Sets all options of a handle for this transfer; this object must live until the transfer has ended.
    func begin(on curl: inout CurlHandle) throws(CurlError) {
        let left = milliseconds(deadline - .now)
        guard left > 0 else { throw CurlError(CURLE_OPERATION_TIMEDOUT) }
        try curl.setCallbacks(of: self)
        try curl.isolate()
        try curl.set(CURLOPT_URL, request.url)
        // By default, libcurl doesn't follow redirects. This default is kept, since redirects could send secrets to
        // strangers.
        try curl.set(CURLOPT_PROTOCOLS_STR, "http,https")
        try curl.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
        try curl.set(CURLOPT_CONNECTTIMEOUT_MS, max(1, min(left, milliseconds(connectTimeout))))
        try curl.set(CURLOPT_TIMEOUT_MS, left)
        try curl.set(CURLOPT_USERAGENT, "lamplighter")
        var headers = ["Accept: application/json"]
        headers += request.headers.map { "\($0.name): \($0.value)" }
        if let body = request.body {
            // The empty `Expect` header removes `Expect: 100-continue`. With `Expect: 100-continue`, libcurl would wait
            // for the server's answer before it sends the body.
            headers += ["Content-Type: \(body.type)", "Expect:"]
            try curl.set(CURLOPT_POST, 1)
            try curl.set(body: body.bytes)
        }
        if request.isHead { try curl.set(CURLOPT_NOBODY, 1) }
        // Without TLS, client and server can't negotiate the version. The client must therefore know that the server
        // speaks HTTP/2.
        if request.isHTTP2, request.url.hasPrefix("http:") {
            try curl.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE))
            // Without TLS, libcurl 7.88 can't use the same HTTP/2 connection for a second request.
            try curl.set(CURLOPT_FORBID_REUSE, 1)
            try curl.set(CURLOPT_FRESH_CONNECT, 1)
        }
        try curl.set(CURLOPT_HTTPHEADER, list: headers)
    }

    func failure(_ error: CurlError) -> WebClient.Failure {
        if isCancelled.load(ordering: .relaxed) { return .cancelled }
        if error.code == CURLE_ABORTED_BY_CALLBACK { return .withdrawn }
        if wasRefused.load(ordering: .relaxed), error.code == CURLE_COULDNT_CONNECT { return .addressNotAllowed }
        switch error.code {
        case CURLE_OPERATION_TIMEDOUT: return .timedOut
        // Only `append` ends a call with this error.
        case CURLE_WRITE_ERROR: return .tooLarge
        default: return .unreachable
        }
    }

    private func milliseconds(_ duration: Duration) -> Int { Int(clamping: Int64(duration / .milliseconds(1))) }

    // MARK: Called by libcurl

    /// Appends a piece of the response, or returns false if the response would become too large.
    fileprivate func append(_ piece: UnsafeRawBufferPointer) -> Bool {
        received.withLock { body in
            guard piece.count <= body.bytesMax - body.bytes.count else { return false }
            body.bytes.append(contentsOf: piece)
            return true
        }
    }

    fileprivate var mustEnd: Bool { isCancelled.load(ordering: .relaxed) }

    fileprivate var mayBegin: Bool { request.mayBegin() }

    fileprivate func admits(_ address: InternetAddress?) -> Bool {
        guard let outbound = request.outbound else { return true }
        if let address, outbound.rule.admits(address, of: outbound.url) { return true }
        wasRefused.store(true, ordering: .relaxed)
        return false
    }
}

extension CurlHandle {
    /// Lets libcurl call `transfer`, which stores the response.
    fileprivate mutating func setCallbacks(of transfer: WebTransfer) throws(CurlError) {
        let context = Unmanaged.passUnretained(transfer).toOpaque()
        try setDownload(takeDownload, context)
        try check(ccurl_set_progress(handle, watchProgress, context))
        try check(ccurl_set_opener(handle, openSocket, context))
        try check(ccurl_set_beginner(handle, beginRequest, context))
    }
}

/// The function for `CURLOPT_WRITEFUNCTION`; any result except the number of bytes ends the transfer.
private func takeDownload(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return 0 }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    let piece = UnsafeRawBufferPointer(start: buffer, count: size * count)
    // An empty piece can't be refused, because the result 0 means both a refusal and the acceptance of 0 bytes.
    return piece.isEmpty || transfer.append(piece) ? piece.count : 0
}

/// The function for `CURLOPT_XFERINFOFUNCTION`, which libcurl calls about once a second.
///
/// Any result except 0 ends the transfer.
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

/// The function for `CURLOPT_PREREQFUNCTION`, which libcurl calls when the connection is made.
private func beginRequest(
    _ context: UnsafeMutableRawPointer?,
    _: UnsafeMutablePointer<CChar>?,
    _: UnsafeMutablePointer<CChar>?,
    _: Int32,
    _: Int32
) -> Int32 {
    guard let context else { return CURL_PREREQFUNC_ABORT }
    let mayBegin = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue().mayBegin
    return mayBegin ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
}

/// The function for `CURLOPT_OPENSOCKETFUNCTION`, which libcurl calls before each connection to an address.
private func openSocket(
    _ context: UnsafeMutableRawPointer?,
    _: curlsocktype,
    _ place: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    guard let context, let place else { return ccurl_bad_socket() }
    let transfer = Unmanaged<WebTransfer>.fromOpaque(context).takeUnretainedValue()
    guard transfer.admits(address(of: place)) else { return ccurl_bad_socket() }
    return socket(place.pointee.family, place.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue), place.pointee.protocol)
}

/// Returns the address in libcurl's structure, or nil for an unknown address family.
///
/// For an IPv6 address, the structure in memory is longer than declared.
private func address(of place: UnsafeMutablePointer<curl_sockaddr>) -> InternetAddress? {
    guard let offset = MemoryLayout<curl_sockaddr>.offset(of: \.addr) else { return nil }
    let start = UnsafeRawPointer(place) + offset
    switch place.pointee.family {
    case AF_INET:
        let address = start.loadUnaligned(as: sockaddr_in.self).sin_addr
        return InternetAddress(withUnsafeBytes(of: address) { Array($0) })
    case AF_INET6:
        let address = start.loadUnaligned(as: sockaddr_in6.self).sin6_addr
        return InternetAddress(withUnsafeBytes(of: address) { Array($0) })
    default: return nil
    }
}
