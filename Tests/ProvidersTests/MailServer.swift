import Foundation
import JSON
import TestKit

/// A test's mail server (`aiosmtpd`), which passes the received mails to the test.
///
/// The server refuses addresses that begin with certain words, such as `full` or `nobody`. Each word has a different
/// code.
final class MailServer: Sendable {
    enum Kind: String {
        case startTLS
        case tls
        /// The server offers neither TLS nor authentication.
        case bare
    }

    let port: Int
    let caFile: String
    private let process: ChildProcess
    private let directory: TemporaryDirectory

    /// Starts a server whose only user is `lamp`, with the password `pass word`.
    init(_ kind: Kind) throws {
        directory = try TemporaryDirectory()
        caFile = directory.path("cert.pem")
        let made = try ChildProcess(
            "/usr/bin/openssl",
            [
                "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=localhost", "-addext",
                "subjectAltName=DNS:localhost", "-keyout", directory.path("key.pem"), "-out", caFile, "-days", "2",
            ]
        )
        guard made.wait() == 0 else { throw MailServerError.noCertificate }
        let script = try directory.write(Self.script, to: "server.py")
        process = try ChildProcess("/usr/bin/python3", [script, kind.rawValue, directory.path])
        guard let line = process.nextLine(), let port = Int(line) else { throw MailServerError.notReady }
        self.port = port
    }

    /// Waits for the next mail that the server accepts, and returns it.
    func next() throws -> (from: String, to: [String], user: String?, data: String) {
        guard let line = process.nextLine(), let mail = try JSONValue.parse(Array(line.utf8)).objectValue else {
            throw MailServerError.notReady
        }
        return (
            mail["from"]?.stringValue ?? "",
            mail["to"]?.arrayValue?.compactMap(\.stringValue) ?? [],
            mail["user"]?.stringValue,
            mail["data"]?.stringValue ?? ""
        )
    }

    private static let script = #"""
        import asyncio, json, ssl, sys
        from aiosmtpd.smtp import AuthResult, SMTP

        kind, directory = sys.argv[1:]
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(directory + "/cert.pem", directory + "/key.pem")

        def say(value):
            print(json.dumps(value), flush=True)

        class Handler:
            async def handle_MAIL(self, server, session, envelope, address, options):
                if address.startswith("later"):
                    return "451 4.3.0 try later"
                if address.startswith("never"):
                    return "553 5.1.8 not from you"
                envelope.mail_from = address
                return "250 OK"

            async def handle_RCPT(self, server, session, envelope, address, options):
                if address.startswith("full"):
                    return "452 4.2.2 mailbox full"
                if address.startswith("nobody"):
                    return "550 5.1.1 no such user"
                envelope.rcpt_tos.append(address)
                return "250 OK"

            async def handle_DATA(self, server, session, envelope):
                name = envelope.rcpt_tos[0]
                if name.startswith("spam"):
                    return "554 5.7.1 not wanted"
                if name.startswith("busy"):
                    return "451 4.3.2 busy"
                user = session.auth_data.decode() if session.authenticated else None
                say({"from": envelope.mail_from, "to": envelope.rcpt_tos, "user": user,
                     "data": envelope.content.decode("ascii")})
                return "250 taken"

        def authenticate(server, session, envelope, mechanism, data):
            ok = data.login == b"lamp" and data.password == b"pass word"
            return AuthResult(success=ok, auth_data=data.login, handled=ok)

        def make():
            options = {}
            if kind in ("startTLS", "tls"):
                options.update(authenticator=authenticate, auth_required=True,
                               auth_require_tls=kind == "startTLS")
            if kind == "startTLS":
                options.update(tls_context=context, require_starttls=True)
            return SMTP(Handler(), **options)

        async def main():
            server = await asyncio.get_running_loop().create_server(
                make, "127.0.0.1", 0, ssl=context if kind == "tls" else None)
            print(server.sockets[0].getsockname()[1], flush=True)
            await server.serve_forever()

        asyncio.run(main())
        """#
}

/// The reason why a test has no mail server.
enum MailServerError: Error {
    case noCertificate
    case notReady
}
