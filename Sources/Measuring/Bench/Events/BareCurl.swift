import CCurl
import Load

/// A loop that only calls libcurl: every sender of webhooks must do at least this work.
enum BareCurl {
    /// Posts each body to an address, over one connection.
    ///
    /// - Throws: `LoadError` if a post fails.
    static func post(_ bodies: [[UInt8]], to url: String) throws(LoadError) {
        guard ccurl_global_init() == CURLE_OK, let handle = curl_easy_init() else { throw .failed("no libcurl") }
        let headers = curl_slist_append(curl_slist_append(nil, "Content-Type: application/json"), "Expect:")
        defer {
            curl_easy_cleanup(handle)
            curl_slist_free_all(headers)
        }
        _ = (ccurl_set_text(handle, CURLOPT_URL, url), ccurl_set_list(handle, CURLOPT_HTTPHEADER, headers))
        for body in bodies {
            guard ccurl_set_body(handle, body, body.count) == CURLE_OK, curl_easy_perform(handle) == CURLE_OK else {
                throw .failed("a post of the bare loop failed")
            }
        }
    }
}
