import Certificates
import Problems
import ServiceSettings
package import Web

/// The operators' console of a run, made by a target above this one.
package struct ConsolePart: Sendable {
    /// The responder to its requests.
    let responder: any ConsoleResponder
    /// The function that makes the banner's first link, or returns nil if operators have passwords already.
    let firstLink: @Sendable () throws -> String?

    /// Puts a console together.
    package init(responder: any ConsoleResponder, firstLink: @escaping @Sendable () throws -> String?) {
        self.responder = responder
        self.firstLink = firstLink
    }
}

/// A function that makes the console of a run once its store is open.
package typealias ConsoleMaker = @Sendable (RunContext, Backend) throws -> ConsolePart

extension RunContext {
    /// Whether the console's listener uses TLS: it isn't on loopback, and there is a certificate.
    var consoleHasTLS: Bool { tls != nil && !LocalHosts.isLoopback(settings.consoleHost) }

    /// Whether browsers reach the console by https.
    package var consoleIsSecure: Bool { consoleHasTLS || settings.consoleProxy }

    /// The names, besides this machine's, that browsers can use for the console: from the settings and the certificate.
    var consoleNames: [String] {
        let authority = consoleURL.split(separator: "/").dropFirst().first.map(String.init)
        return [settings.consoleHost, authority ?? ""] + (tls?.certificate.names ?? [])
    }

    /// The address at which operators reach the console, without a slash at the end.
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

    /// Returns the console's address for the first page; nil without a console.
    ///
    /// If the operator hasn't set an address, it is returned only for visitors on this machine, and only if the public
    /// URL is local.
    func consoleURL(isLocal: Bool) -> String? {
        guard ports.console != nil, settings.consoleURL != nil || isLocal && isPublicURLLocal
        else { return nil }
        return consoleURL
    }
}

extension LocalHosts {
    /// Checks that other machines can't reach the console without TLS, regardless of `insecure`.
    ///
    /// - Throws: A `Problem` that names the setting.
    static func checkConsole(_ settings: Settings, hasCertificate: Bool) throws {
        guard settings.hasConsole, !isLoopback(settings.consoleHost), !hasCertificate, !settings.consoleProxy else {
            return
        }
        throw Problem.consoleOpen(host: settings.consoleHost)
    }
}
