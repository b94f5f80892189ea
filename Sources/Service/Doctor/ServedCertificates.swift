import Certificates
import Domain
package import Files
import JSON
package import ServiceSettings
import Web

/// The certificates that the running service's TLS listeners present to clients.
package struct ServedCertificates {
    /// The certificate that one listener presents.
    struct Shown {
        /// The listener's address and port.
        let place: String
        /// The presented certificate; nil if the handshake failed.
        let certificate: CertificateFile?
        /// The reason why there is no certificate, or empty if there is one.
        let fault: String
    }

    private let directory: DataDirectory
    private let settings: Settings
    /// The running service's `ready.json`, or nil if no service is ready.
    private let ready: JSONObject?

    /// Reads `ready.json` of the service that runs on a data directory.
    package init(_ directory: DataDirectory, _ settings: Settings) {
        self.directory = directory
        self.settings = settings
        ready = DirectoryLock.holder(of: directory) == nil ? nil : ReadyFile.read(directory)
    }

    /// Returns the certificates that the listeners present, or an empty list if no service is ready.
    func read() async -> [Shown] {
        guard let address = ready?["tlsHost"]?.stringValue else { return [] }
        let host = Banner.reachable(address)
        var all: [Shown] = []
        for name in ["mqttTlsPort", "clientCertificatePort", "webSocketTlsPort", "httpTlsPort"] {
            // If there is an MQTT port with TLS, the port for client certificates is left out, because both ports
            // present the same certificate. Besides, a handshake without a device's certificate would count as a
            // refusal.
            if name == "clientCertificatePort", ready?["mqttTlsPort"] != nil { continue }
            guard let port = ready?[name]?.intValue.map({ Int($0) }) else { continue }
            let place = Banner.address(host, port: port)
            do {
                let der = try await ShownCertificate.read(
                    host: host,
                    port: port,
                    within: ServiceLimits.probeConnectMax
                )
                all.append(
                    Shown(place: place, certificate: try CertificateFile(der: der), fault: "")
                )
            } catch {
                all.append(Shown(place: place, certificate: nil, fault: "\(error)"))
            }
        }
        return all
    }

    /// Whether the file with the devices' certificate authority has changed since the broker read it.
    package var isAuthorityUnread: Bool {
        guard ready?["clientCertificatePort"] != nil, let files = try? TLSFiles.find(settings, in: directory),
            let now = TextFile.readBytes(files.authority)
        else { return false }
        return TextFile.readBytes(directory.brokerTLS.authority) != now
    }
}

extension ServedCertificates {
    /// Returns the differences between the certificate files and the certificates that the listeners present.
    ///
    /// If a certificate differs, the service may not have noticed a changed file yet. The method then waits, and checks
    /// again.
    func concerns(_ files: CertificateFile, at now: Instant) async -> [CertificateConcern] {
        var shown = await read()
        if shown.contains(where: { $0.certificate?.isSame(as: files) == false }) {
            try? await Task.sleep(for: ServiceLimits.certificateInterval * 2)
            shown = await read()
        }
        var concerns = shown.compactMap { concern($0, files, at: now) }
        if isAuthorityUnread {
            concerns.append(
                CertificateConcern(
                    path: directory.brokerTLS.authority,
                    text: "the authority of devices' certificates changed since the broker started",
                    isUrgent: false,
                    cure: "restart the service: the broker then accepts certificates of the new authority",
                    command: nil
                )
            )
        }
        return concerns
    }

    private func concern(_ shown: Shown, _ files: CertificateFile, at now: Instant) -> CertificateConcern? {
        guard let certificate = shown.certificate else {
            return CertificateConcern(
                path: shown.place,
                text: "\(shown.place) shows no certificate: \(shown.fault)",
                isUrgent: true,
                cure: "see the service's log, and restart the service",
                command: nil
            )
        }
        guard !certificate.isSame(as: files) else { return nil }
        return CertificateConcern(
            path: shown.place,
            text: """
                \(shown.place) shows another certificate, until \
                \(CertificateText.date(certificate.facts.end))
                """,
            isUrgent: !CertificateAge(certificate.facts, at: now).isValid,
            cure: "see in the service's log why it did not load the file's certificate",
            command: nil
        )
    }
}
