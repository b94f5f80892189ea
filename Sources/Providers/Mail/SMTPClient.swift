import CCurl

/// Hands mails to a mail server (libcurl).
///
/// A connection of its own for each mail: a code or a link is wanted now, and they are few.
package struct SMTPClient: Sendable {
    private let settings: SMTPSettings

    /// Takes the server's description; nothing is said to it yet.
    package init(_ settings: SMTPSettings) { self.settings = settings }

    /// Hands one mail over.
    ///
    /// Blocks until the server took it, or as long as the settings allow: for a small pool of threads
    /// only. A mail may arrive twice, with the same Message-ID, when the connection breaks
    /// after the server took it.
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

    private func prepare(
        _ curl: inout CurlHandle,
        _ message: MailMessage
    ) throws(CurlError) {
        let scheme = settings.security == .tls ? "smtps" : "smtp"
        // The path is what EHLO says.
        let url = "\(scheme)://\(settings.host):\(settings.port)/\(message.from.domain)"
        try curl.set(CURLOPT_URL, url)
        try curl.set(CURLOPT_PROTOCOLS_STR, scheme)
        // Neither the environment's proxy nor its signals: libcurl's time-outs of names use SIGALRM.
        try curl.set(CURLOPT_PROXY, "")
        try curl.set(CURLOPT_NOSIGNAL, 1)
        try curl.set(CURLOPT_CONNECTTIMEOUT, settings.connectTimeoutSeconds)
        try curl.set(CURLOPT_TIMEOUT, settings.timeoutSeconds)
        // The farewell has a time of its own, of two minutes unless told otherwise.
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
        try curl.set(CURLOPT_MAIL_FROM, "<\(message.from.text)>")
        try curl.set(CURLOPT_MAIL_RCPT, list: ["<\(message.to.text)>"])
        try curl.set(CURLOPT_UPLOAD, 1)
    }

    /// The server's refusals that concern the settings and not the mail: an operator can fix them.
    private static let ofSettings = [502, 503, 530, 534, 535, 538]

    private static func failure(_ error: CurlError) -> SendFailure {
        let isAnswer = error.code == CURLE_SEND_ERROR || error.code == CURLE_WEIRD_SERVER_REPLY
        let isFinal = (500...599).contains(error.status) && !ofSettings.contains(error.status)
        return isAnswer && isFinal ? .permanent(error.summary) : .temporary(error.summary)
    }
}
