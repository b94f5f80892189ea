import Certificates
import Problems
import ServiceSettings
package import Web

/// The operators' console of a run, created by code outside this module.
package struct ConsolePart: Sendable {
    /// The responder to the console's requests.
    let responder: any ConsoleResponder
    /// Creates the banner's one-time link, or returns nil if an operator already has a password.
    let firstLink: @Sendable () throws -> String?

    /// Creates a console from its parts.
    package init(responder: any ConsoleResponder, firstLink: @escaping @Sendable () throws -> String?) {
        self.responder = responder
        self.firstLink = firstLink
    }
}

/// A function that creates the console of a run after the store has been opened.
package typealias ConsoleMaker = @Sendable (RunContext, Backend) throws -> ConsolePart

extension RunContext {
    /// Whether the console's listener uses TLS, which needs a certificate and a non-loopback address.
    var consoleHasTLS: Bool { tls != nil && !LocalHosts.isLoopback(settings.consoleHost) }

    /// Whether browsers reach the console over HTTPS.
    package var consoleIsSecure: Bool { consoleHasTLS || settings.consoleProxy }

    /// The console's host names from the settings and the certificate, without this machine's own names.
    var consoleNames: [String] {
        let authority = consoleURL.split(separator: "/").dropFirst().first.map(String.init)
        return [settings.consoleHost, authority ?? ""] + (tls?.certificate.names ?? [])
    }

    /// The address at which operators reach the console, without a slash at the end.
    package var consoleURL: String {
        let (scheme, port) = (consoleIsSecure ? "https" : "http", ports.console ?? settings.consolePort)
        var url = settings.consoleURL ?? Banner.url(scheme, settings.consoleHost, port: port)
        while url.hasSuffix("/") { url.removeLast() }
        return url
    }

    /// Returns the console's address for a link on the first web page, or nil to show no link.
    ///
    /// If the settings name no address for the console, only visitors on this machine get the link, and only if the
    /// service's public URL is local.
    func consoleURL(isLocal: Bool) -> String? {
        ports.console != nil && (settings.consoleURL != nil || isLocal && isPublicURLLocal) ? consoleURL : nil
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
