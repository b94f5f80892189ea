import Certificates
import Problems
import ServiceSettings
package import Web

/// The operators' console of a run, which a target above this one makes.
package struct ConsolePart: Sendable {
    /// What answers its requests.
    let responder: any ConsoleResponder
    /// Makes the first link for the banner; nil where operators have passwords already.
    let firstLink: @Sendable () throws -> String?

    /// Puts a console together.
    package init(
        responder: any ConsoleResponder,
        firstLink: @escaping @Sendable () throws -> String?
    ) {
        self.responder = responder
        self.firstLink = firstLink
    }
}

/// Makes the console of a run once its store is open.
package typealias ConsoleMaker = @Sendable (RunContext, Backend) throws -> ConsolePart

extension RunContext {
    /// Whether the console's listener speaks TLS: wherever it is not on loopback, and there is a certificate.
    var consoleHasTLS: Bool { tls != nil && !LocalHosts.isLoopback(settings.consoleHost) }

    /// Whether browsers come to the console by https.
    package var consoleIsSecure: Bool { consoleHasTLS || settings.consoleProxy }

    /// The names that browsers may call the console by, besides this machine's: those that the operator gave it.
    var consoleNames: [String] {
        let authority = consoleURL.split(separator: "/").dropFirst().first.map(String.init)
        return [settings.consoleHost, authority ?? ""] + (tls?.certificate.names ?? [])
    }

    /// The address of the console as operators reach it, without a slash at the end.
    package var consoleURL: String {
        var url =
            settings.consoleURL
            ?? Banner.url(
                consoleIsSecure ? "https" : "http",
                settings.consoleHost,
                port: ports.console ?? settings.consolePort
            )
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// Returns the console's address as the first page names it: to somebody on this machine, and to others where the
    /// operator has given one; nil without a console.
    func consoleURL(isLocal: Bool) -> String? {
        guard ports.console != nil, settings.consoleURL != nil || isLocal && isPublicURLLocal
        else { return nil }
        return consoleURL
    }
}

extension LocalHosts {
    /// Checks that the console is not open to the network in clear; `insecure` does not matter here.
    ///
    /// - Throws: A `Problem` that names the setting.
    static func checkConsole(_ settings: Settings, hasCertificate: Bool) throws {
        guard settings.hasConsole, !isLoopback(settings.consoleHost), !hasCertificate,
            !settings.consoleProxy
        else { return }
        throw Problem(
            .consoleOpen,
            "console.host is \(settings.consoleHost), where other machines reach it without TLS",
            at: "console.host",
            why: "operators' passwords and sessions would go over the network in clear",
            cures: [
                .init("lamplighter tls init --name HOST", "have it speak TLS"),
                .init("--set console.proxy=true", "where a proxy with TLS stands before it"),
                .init("--no-console", "serve none"),
            ]
        )
    }
}
