import CCurl
package import Domain

/// A client that sends e-mails through a mail server, with libcurl.
///
/// Each mail is sent at once over its own connection, because users wait for the codes and links in the mails. There
/// are too few mails for a shared connection to save much.
package struct SMTPClient: Sendable {
    private let settings: SMTPSettings

    /// Makes a client for a server, without connecting.
    package init(_ settings: SMTPSettings) { self.settings = settings }

    /// Sends a mail.
    ///
    /// This method blocks until the server has accepted the mail. The settings limit this time. Call it only on a small
    /// pool of threads. A mail can arrive twice if the connection breaks after the server has accepted the mail. Both
    /// copies have the same Message-ID.
    /// - Throws: `MessageFailure`.
    package func send(_ message: MailMessage) throws(MessageFailure) {
        do {
            var curl = try CurlHandle()
            try prepare(&curl, message)
            try curl.perform(uploading: message.encoded())
        } catch {
            throw Self.failure(error)
        }
    }

    /// The reason why mails can't be sent.
    ///
    /// Each case except `other` names the thing that must be fixed.
    package enum Obstacle: Sendable, Equatable {
        /// The host name doesn't exist.
        case name
        /// No server answers at the address.
        case connection
        /// The server's certificate is not trusted, or the server does not support TLS.
        case security
        /// The server rejects the username and the password.
        case login
        /// Any other obstacle.
        case other
    }

    /// Opens a connection and logs in as `send` does, but sends no mail.
    ///
    /// The call blocks until the server answers, but at most as long as the settings allow.
    /// - Returns: Nil if the server would accept mails, otherwise the obstacle and libcurl's description of it.
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
        try curl.isolate()
        let scheme = settings.security == .tls ? "smtps" : "smtp"
        // libcurl sends the path of the URL as the name in EHLO.
        let url = "\(scheme)://\(settings.host):\(settings.port)/\(domain)"
        try curl.set(CURLOPT_URL, url)
        try curl.set(CURLOPT_PROTOCOLS_STR, scheme)
        try curl.set(CURLOPT_CONNECTTIMEOUT, settings.connectTimeoutSeconds)
        try curl.set(CURLOPT_TIMEOUT, settings.timeoutSeconds)
        // This option limits the wait for the answer to QUIT. By default, libcurl would wait for up to two minutes.
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

    /// The server's codes for refusals that an operator can resolve by correcting the settings.
    private static let ofSettings = [502, 503, 530, 534, 535, 538]

    private static func failure(_ error: CurlError) -> MessageFailure {
        let isAnswer = error.code == CURLE_SEND_ERROR || error.code == CURLE_WEIRD_SERVER_REPLY
        let isFinal = (500...599).contains(error.status) && !ofSettings.contains(error.status)
        return isAnswer && isFinal ? .refused(error.summary) : .unavailable(error.summary)
    }
}
