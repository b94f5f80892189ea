import Domain
import Foundation
import JSON
import Providers
import TestKit
import Testing

@Suite("Mail by SMTP", .endsInTime)
struct SMTPClientTests {
    private func mail(
        to: String = "ann@x.test",
        from: String = "lamp@y.test",
        subject: String = "Your code",
        plain: String = "123456\n"
    ) throws -> MailMessage {
        MailMessage(
            from: try #require(MailAddress(from)),
            fromName: "灯塔 Lamplighter",
            to: try #require(MailAddress(to)),
            subject: subject,
            plain: plain,
            html: "<p>123456</p>",
            id: "m-1",
            date: 1_795_271_665
        )
    }

    private func settings(
        _ server: MailServer,
        _ security: SMTPSettings.Security,
        user: String? = "lamp",
        password: String? = "pass word"
    ) throws -> SMTPSettings {
        try SMTPSettings(
            host: "localhost",
            port: server.port,
            security: security,
            caFile: server.caFile,
            user: user,
            password: password,
            timeoutSeconds: 10
        )
    }

    @Test(
        "A mail is sent over STARTTLS with a login",
        arguments: [SMTPSettings.Security.startTLS, .tls]
    )
    func secured(security: SMTPSettings.Security) throws {
        let server = try MailServer(security == .tls ? .tls : .startTLS)

        try SMTPClient(settings(server, security)).send(mail())

        let received = try server.next()
        #expect(received.from == "lamp@y.test")
        #expect(received.to == ["ann@x.test"])
        #expect(received.user == "lamp")
        #expect(received.data.contains("Subject: Your code\r\n"))
        #expect(received.data.contains("Message-ID: <m-1@y.test>\r\n"))
        #expect(received.data.contains("To: <ann@x.test>\r\n"))
    }

    @Test("A mail to this machine can be sent without TLS")
    func inClear() throws {
        let server = try MailServer(.bare)

        try SMTPClient(settings(server, .none, user: nil, password: nil)).send(mail())

        #expect(try server.next().user == nil)
        let refusal = #expect(throws: Rejection.self) {
            _ = try SMTPSettings(host: "mail.example.com", security: .none)
        }
        #expect(refusal?.field == "security")
    }

    @Test(
        "A wrong password, missing TLS and a foreign certificate are temporary failures that reveal no secret"
    )
    func misconfigured() throws {
        let server = try MailServer(.startTLS)
        let bare = try MailServer(.bare)
        let other = try MailServer(.startTLS)
        var foreign = try settings(server, .startTLS)
        foreign.caFile = other.caFile

        for wrong in [
            try settings(server, .startTLS, password: "wr0ng secret"), try settings(bare, .startTLS), foreign,
        ] {
            let failure = #expect(throws: MessageFailure.self) {
                try SMTPClient(wrong).send(mail())
            }
            #expect(failure == .unavailable(failure?.reason ?? ""))
            #expect(failure?.reason.contains("secret") == false)
            #expect(failure?.reason.contains("ann@") == false)
        }
    }

    @Test(
        "4xx is temporary and 5xx permanent at each step",
        arguments: [
            ("full@x.test", "lamp@y.test", false), ("nobody@x.test", "lamp@y.test", true),
            ("busy@x.test", "lamp@y.test", false), ("spam@x.test", "lamp@y.test", true),
            ("ann@x.test", "later@y.test", false), ("ann@x.test", "never@y.test", true),
        ]
    )
    func answers(to: String, from: String, isPermanent: Bool) throws {
        let server = try MailServer(.bare)
        let client = SMTPClient(try settings(server, .none, user: nil, password: nil))

        let failure = #expect(throws: MessageFailure.self) { try client.send(mail(to: to, from: from)) }

        let reason = failure?.reason ?? ""
        #expect(failure == (isPermanent ? .refused(reason) : .unavailable(reason)))
    }

    @Test("An unreachable server is a temporary failure")
    func away() throws {
        let settings = try SMTPSettings(host: "127.0.0.1", port: 1, security: .none)

        let failure = #expect(throws: MessageFailure.self) { try SMTPClient(settings).send(mail()) }

        #expect(failure == .unavailable(failure?.reason ?? ""))
    }

    @Test("A text's content can't become a header or end the mail")
    func injection() throws {
        let server = try MailServer(.bare)
        let evil = "Hi\r\nBcc: all@x.test\r\n\r\n.\r\nMAIL FROM:<a@b>"

        try SMTPClient(settings(server, .none, user: nil, password: nil))
            .send(mail(subject: evil, plain: evil))

        let received = try server.next()
        let headers = received.data.components(separatedBy: "\r\n\r\n")[0]
        #expect(received.to == ["ann@x.test"])
        #expect(!headers.lowercased().contains("\r\nbcc:"))
        #expect(!received.data.contains("MAIL FROM"))
    }
}

@Suite("Composing mails")
struct MailMessageTests {
    @Test(
        "Ambiguous addresses are refused",
        arguments: [
            "", "a", "a@", "@b", "a@b@c", "a b@c.d", "a@b\r\nBcc: x@y.z", "<a@b>", "a@b>",
            "a,b@c.d",
            "a@-b.c", "a@b..c", "a@b.c\0", "\"a b\"@c.d", "ä\u{200D}@b.c", "a@b\u{AD}\u{2028}.c",
            "a@ä/b.c", "a@ä:25", "a@ä%0D.c", "a@x@ä.c",
        ]
    )
    func addresses(text: String) { #expect(MailAddress(text) == nil) }

    @Test("A domain with other characters than ASCII is written as the DNS requires, and the mailbox is unchanged")
    func international() {
        #expect(MailAddress("lampe@bücher.example")?.text == "lampe@xn--bcher-kva.example")
        #expect(MailAddress("jörg@example.com")?.text == "jörg@example.com")
        #expect(MailAddress("灯@例子.example")?.domain == "xn--fsqu00a.example")
    }

    @Test("Texts beyond plain ASCII are encoded, and no line is too long")
    func header() throws {
        let mail = MailMessage(
            from: try #require(MailAddress("lamp@y.test")),
            fromName: "Lamp, \"the\" <x@y>",
            to: try #require(MailAddress("ann@x.test")),
            subject: String(repeating: "您的验证码 ", count: 30),
            plain: String(repeating: "长", count: 5_000),
            id: "m\r\n-1",
            date: 1_795_271_665
        )
        let text = String(decoding: mail.encoded(), as: UTF8.self)

        let lines = text.components(separatedBy: "\r\n")
        #expect(lines.allSatisfy { $0.utf8.count <= 78 && $0.utf8.allSatisfy { (32...126).contains($0) } })
        #expect(lines[0] == "Date: Sat, 21 Nov 2026 14:34:25 +0000")
        #expect(lines[1].hasPrefix("From: =?utf-8?B?"))
        #expect(lines.contains("Message-ID: <m-1@y.test>"))
    }

    @Test("A mail program decodes the original texts")
    func readBack() throws {
        let subject = "Código de verificação 验证码 🏮 " + String(repeating: "é", count: 90)
        let plain = "Line one\n.\nFrom here\r\nend 灯"
        let mail = MailMessage(
            from: try #require(MailAddress("lamp@y.test")),
            fromName: "灯塔, Lamp",
            to: try #require(MailAddress("ann@x.test")),
            subject: subject,
            plain: plain,
            html: "<p>灯</p>",
            id: "m-1",
            date: 0
        )

        let parts = try read(mail.encoded())

        #expect(parts[0] == subject)
        #expect(parts[1] == "灯塔, Lamp <lamp@y.test>")
        #expect(parts[2] == "multipart/alternative")
        #expect(parts[3] == "Line one\n.\nFrom here\nend 灯")
        #expect(parts[4] == "<p>灯</p>")
    }
}

/// Parses a mail with Python's package `email`, and returns the mail's subject, sender, type and parts.
private func read(_ mail: [UInt8]) throws -> [String] {
    let directory = try TemporaryDirectory()
    let file = directory.path("mail.eml")
    try Data(mail).write(to: URL(filePath: file))
    let script = """
        import email, email.policy, json, sys
        mail = email.message_from_bytes(open(sys.argv[1], "rb").read(), policy=email.policy.default)
        parts = [p.get_content().replace("\\r\\n", "\\n") for p in mail.iter_parts()]
        sender = mail["From"].addresses[0]
        name = sender.display_name + " <" + sender.addr_spec + ">"
        print(json.dumps([mail["Subject"], name, mail.get_content_type(), *parts]))
        """
    let process = try ChildProcess("/usr/bin/python3", ["-c", script, file])
    let line = process.nextLine() ?? "[]"
    return try JSONValue.parse(Array(line.utf8)).arrayValue?.compactMap(\.stringValue) ?? []
}
