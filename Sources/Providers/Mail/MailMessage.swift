import Foundation

/// An e-mail from the service, with one receiver, a subject, plain text and perhaps HTML.
package struct MailMessage: Sendable {
    /// The sender's address.
    package var from: MailAddress
    /// The sender's display name.
    package var fromName: String
    /// The receiver's address.
    package var to: MailAddress
    /// The subject.
    package var subject: String
    /// The plain text, for every mail reader.
    package var plain: String
    /// The same text as HTML, or nil for plain text only.
    package var html: String?
    /// The local part of the mail's Message-ID; a repeated mail has the same Message-ID.
    package var id: String
    /// The time at which the mail was written, in seconds since 1970.
    package var date: Int64

    /// Makes a mail.
    package init(
        from: MailAddress,
        fromName: String,
        to: MailAddress,
        subject: String,
        plain: String,
        html: String? = nil,
        id: String,
        date: Int64
    ) {
        self.from = from
        self.fromName = fromName
        self.to = to
        self.subject = subject
        self.plain = plain
        self.html = html
        self.id = id
        self.date = date
    }

    /// Encodes the mail according to RFC 5322.
    ///
    /// The result is ASCII if all mailboxes are ASCII. Body lines have at most 76 characters.
    ///
    /// No text can add a header or a part to the mail, or end the mail early. The texts in headers are plain words or
    /// encoded words (RFC 2047), and the bodies are base64.
    package func encoded() -> [UInt8] {
        let token = String(id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })
        let name = fromName.isEmpty ? "" : MailHeader.encode(fromName) + " "
        var lines = [
            "Date: \(MailHeader.date(date))",
            "From: \(name)<\(from.text)>",
            "To: <\(to.text)>",
            "Subject: \(MailHeader.encode(subject))",
            "Message-ID: <\(token)@\(from.domain)>",
            "Auto-Submitted: auto-generated",
            "MIME-Version: 1.0",
        ]
        if let html {
            // The boundary contains a character that never occurs in base64.
            let boundary = "=_\(token)"
            lines.append("Content-Type: multipart/alternative; boundary=\"\(boundary)\"")
            lines.append("")
            lines += ["--\(boundary)"] + Self.part(plain, type: "plain")
            lines += ["--\(boundary)"] + Self.part(html, type: "html")
            lines.append("--\(boundary)--")
        } else {
            lines += Self.part(plain, type: "plain")
        }
        return Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
    }

    private static func part(_ text: String, type: String) -> [String] {
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        let body = Data(lines.joined(separator: "\r\n").utf8)
            .base64EncodedString(options: [
                .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
            ])
        return [
            "Content-Type: text/\(type); charset=utf-8",
            "Content-Transfer-Encoding: base64",
            "",
            body,
        ]
    }
}
