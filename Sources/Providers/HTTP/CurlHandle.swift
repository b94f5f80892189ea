import CCurl

/// A libcurl handle (`CURL *`), with the lists that the handle needs until it is reset.
struct CurlHandle: ~Copyable {
    let handle: UnsafeMutableRawPointer
    private var lists: [UnsafeMutablePointer<curl_slist>] = []

    /// Whether libcurl is initialised, which happens only once because `curl_global_init` isn't thread-safe.
    static let isReady = ccurl_global_init() == CURLE_OK

    init() throws(CurlError) {
        guard Self.isReady, let handle = curl_easy_init() else { throw CurlError(CURLE_FAILED_INIT) }
        self.handle = handle
    }

    deinit {
        curl_easy_cleanup(handle)
        for list in lists { curl_slist_free_all(list) }
    }

    /// Resets all options for another transfer, and keeps connections open (`curl_easy_reset`).
    mutating func reset() {
        curl_easy_reset(handle)
        for list in lists { curl_slist_free_all(list) }
        lists = []
    }

    mutating func set(_ option: CURLoption, _ value: Int) throws(CurlError) {
        try check(ccurl_set_long(handle, option, value))
    }

    /// Sets a string option; libcurl copies the string (`curl_easy_setopt`).
    mutating func set(_ option: CURLoption, _ value: String) throws(CurlError) {
        try check(ccurl_set_text(handle, option, value))
    }

    /// Sets a list option.
    ///
    /// The list's address stays in libcurl. The list is therefore freed only after the handle is reset or freed.
    mutating func set(_ option: CURLoption, list values: [String]) throws(CurlError) {
        var list: UnsafeMutablePointer<curl_slist>?
        for value in values {
            // NULL means that there was not enough memory, and that the list is unchanged.
            guard let longer = curl_slist_append(list, value) else {
                curl_slist_free_all(list)
                throw CurlError(CURLE_OUT_OF_MEMORY)
            }
            list = longer
        }
        guard let list else { return }
        lists.append(list)
        try check(ccurl_set_list(handle, option, list))
    }

    /// Sets the body of a POST.
    mutating func set(body bytes: [UInt8]) throws(CurlError) { try check(ccurl_set_body(handle, bytes, bytes.count)) }

    /// Sets the function that receives the response (`CURLOPT_WRITEFUNCTION`).
    mutating func setDownload(_ function: curl_write_callback, _ context: UnsafeMutableRawPointer?) throws(CurlError) {
        try check(ccurl_set_writer(handle, CURLOPT_WRITEFUNCTION, CURLOPT_WRITEDATA, function, context))
    }

    /// The number of seconds in the server's `Retry-After`, or 0 if the response has no such header.
    ///
    /// If the header contains a date, the property is the number of seconds until then.
    var retryAfter: Int64 {
        var seconds: curl_off_t = 0
        ccurl_get_offset(handle, CURLINFO_RETRY_AFTER, &seconds)
        return Int64(seconds)
    }

    /// Performs the transfer, blocks until its end, and returns the server's last status (`curl_easy_perform`).
    mutating func perform() throws(CurlError) -> Int {
        try status(after: curl_easy_perform(handle))
    }

    /// Prevents the transfer from using signals (such as SIGALRM) or the environment's proxy.
    mutating func isolate() throws(CurlError) {
        try set(CURLOPT_PROXY, "")
        try set(CURLOPT_NOSIGNAL, 1)
    }

    /// Returns the server's last status after a transfer, or throws an error if the transfer failed.
    func status(after code: CURLcode) throws(CurlError) -> Int {
        var status = 0
        ccurl_get_long(handle, CURLINFO_RESPONSE_CODE, &status)
        guard code == CURLE_OK else { throw CurlError(code, status: status) }
        return status
    }

    /// Sends bytes, discards the response, and blocks until the transfer ends (`curl_easy_perform`).
    mutating func perform(uploading bytes: [UInt8]) throws(CurlError) {
        let upload = Upload(bytes)
        let context = Unmanaged.passUnretained(upload).toOpaque()
        try check(ccurl_set_reader(handle, readUpload, context))
        try setDownload(dropDownload, nil)
        // The callback has only the object's address, so the object must be kept alive.
        _ = try withExtendedLifetime(upload) { () throws(CurlError) in try perform() }
    }

    /// Throws an error if the result of a call to libcurl is a failure.
    func check(_ code: CURLcode) throws(CurlError) { guard code == CURLE_OK else { throw CurlError(code) } }
}

/// A failure of libcurl, with libcurl's result and the server's last status.
struct CurlError: Error {
    let code: CURLcode
    let status: Int

    init(_ code: CURLcode, status: Int = 0) { (self.code, self.status) = (code, status) }

    /// libcurl's description, which contains neither addresses nor secrets (`curl_easy_strerror`).
    var summary: String {
        let words = String(cString: curl_easy_strerror(code))
        return status == 0 ? words : "\(words) (the server said \(status))"
    }
}

private final class Upload {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// Copies as many bytes as fit into a buffer, and returns their number.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let part = rest.prefix(buffer.count)
        buffer.copyBytes(from: part)
        rest = rest.dropFirst(part.count)
        return part.count
    }
}

/// The function for `CURLOPT_READFUNCTION`, which libcurl calls on the thread of the transfer.
private func readUpload(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int {
    guard let buffer, let context else { return 0 }
    let upload = Unmanaged<Upload>.fromOpaque(context).takeUnretainedValue()
    return upload.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: size * count))
}

/// Discards all bytes, which libcurl would otherwise print (the function for `CURLOPT_WRITEFUNCTION`).
private func dropDownload(
    _ buffer: UnsafeMutablePointer<CChar>?,
    _ size: Int,
    _ count: Int,
    _ context: UnsafeMutableRawPointer?
) -> Int { size * count }
