import CCurl

/// A client that sends mails through a mail server (libcurl).
///
/// Each mail has its own connection: a code or a link is needed at once, and mails are few.
package struct SMTPClient: Sendable {
    private let settings: SMTPSettings

    /// Makes a client for a server; does not connect yet.
    package init(_ settings: SMTPSettings) { self.settings = settings }

    /// Sends one mail.
    ///
    /// Blocks until the server has accepted it, or as long as the settings allow: for a small pool of threads only. A
    /// mail can arrive twice, with the same Message-ID, if the connection breaks after the server accepted it.
    /// - Throws: `SendFailure`.
    package func send(_ message: MailMessage) throws(SendFailure) {
        do {
            var curl = try CurlHandle()
            try prepare(&curl, message)
            try curl.perform(uploading: message.encoded())
        } catch {
            throw Self.failure(error)
        }
    }

    /// The obstacle to sending mails, by the thing to fix.
    package enum Obstacle: Sendable, Equatable {
        /// There is no server of that name.
        case name
        /// Nothing answers at that address.
        case connection
        /// The server's certificate is not trusted, or the server does not support TLS.
        case security
        /// The server rejects the user name and password.
        case login
        /// Something else.
        case other
    }

    /// Connects and logs in as for a mail, but sends none.
    ///
    /// Blocks until the server answers, or as long as the settings allow.
    /// - Returns: Nil if mails would be accepted; otherwise the obstacle, and libcurl's description of it.
    package func greet(as domain: String) -> (obstacle: Obstacle, summary: String)? {
        do {
            var curl = try CurlHandle()
            try prepare(&curl, from: domain)
            try curl.set(CURLOPT_CONNECT_ONLY, 1)
            _ = try curl.perform()
            return nil
        } catch {
            return (Self.obstacle(error.code), error.summary)
        }
    }

    private static func obstacle(_ code: CURLcode) -> Obstacle {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST: .name
        case CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT: .connection
        case CURLE_USE_SSL_FAILED, CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE:
            .security
        case CURLE_LOGIN_DENIED: .login
        default: .other
        }
    }

    private func prepare(
        _ curl: inout CurlHandle,
        _ message: MailMessage
    ) throws(CurlError) {
        try prepare(&curl, from: message.from.domain)
        try curl.set(CURLOPT_MAIL_FROM, "<\(message.from.text)>")
        try curl.set(CURLOPT_MAIL_RCPT, list: ["<\(message.to.text)>"])
        try curl.set(CURLOPT_UPLOAD, 1)
    }

    private func prepare(_ curl: inout CurlHandle, from domain: String) throws(CurlError) {
        let scheme = settings.security == .tls ? "smtps" : "smtp"
        // libcurl sends the path in EHLO.
        let url = "\(scheme)://\(settings.host):\(settings.port)/\(domain)"
        try curl.set(CURLOPT_URL, url)
        try curl.set(CURLOPT_PROTOCOLS_STR, scheme)
        try curl.set(CURLOPT_CONNECTTIMEOUT, settings.connectTimeoutSeconds)
        try curl.set(CURLOPT_TIMEOUT, settings.timeoutSeconds)
        // The farewell has a separate time limit, two minutes by default.
        try curl.set(CURLOPT_SERVER_RESPONSE_TIMEOUT, settings.timeoutSeconds)
        if settings.security != .none {
            try curl.set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue))
            try curl.set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
            if let file = settings.caFile { try curl.set(CURLOPT_CAINFO, file) }
        }
        if let user = settings.user, let password = settings.password {
            try curl.set(CURLOPT_USERNAME, user)
            try curl.set(CURLOPT_PASSWORD, password)
        }
    }

    /// The server's refusals that concern the settings and not the mail: an operator can fix them.
    private static let ofSettings = [502, 503, 530, 534, 535, 538]

    private static func failure(_ error: CurlError) -> SendFailure {
        let isAnswer = error.code == CURLE_SEND_ERROR || error.code == CURLE_WEIRD_SERVER_REPLY
        let isFinal = (500...599).contains(error.status) && !ofSettings.contains(error.status)
        return isAnswer && isFinal ? .permanent(error.summary) : .temporary(error.summary)
    }
}
