import Administration
import ArgumentParser
import Certificates
import Domain
import Files
import JSON
import Problems
import Service
import ServiceSettings
import Storage
import Workers

extension DeviceCertificateCommand {
    /// The range of days that the command accepts.
    static let daysRange = 1...7300

    func validate() throws {
        guard Self.daysRange.contains(days) else {
            throw ValidationError(
                "--days takes \(Self.daysRange.lowerBound) to \(Self.daysRange.upperBound), not \(days)"
            )
        }
    }

    func run() async throws {
        let place = try await CommandContext.open(settings)
        let device = try place.device(did)
        let now = SystemClock().now
        if revoke { return try revokeAll(of: device, place, at: now) }
        let authority = try LocalAuthority.read(in: place.directory)
        try checkServed(by: authority, place)
        // Certificates that begin before `certificatesFrom` are void. Just after a revocation, this time is in the
        // future.
        let begin = max(now, device.certificatesFrom ?? now)
        let issued = try authority.issue(device.did, days: days, from: begin)
        // After a recent revocation, the certificate becomes valid within two seconds. The command waits until then, so
        // that the device can use the certificate at once.
        if begin > now { try await Task.sleep(for: .milliseconds(begin.milliseconds - now.milliseconds)) }
        let other = try otherIssuer(authority, place)
        let files = try write(issued, authority, withAuthority: other == nil)
        tellIfUnread(place)
        guard output.json else {
            return print(
                """
                certificate  \(files.certificate)
                key          \(files.key)
                authority    \(other.map { "did not sign the server's certificate: the device trusts \($0)" } ?? files.authority)
                until        \(TimeText.of(issued.facts.end))
                """
            )
        }
        Terminal.show(json: [
            "did": device.did, "certificate": files.certificate, "key": files.key,
            "authority": other == nil ? files.authority : nil, "serverIssuer": other, "until": issued.facts.end,
        ])
    }

    /// Returns the issuer of the server's certificate if `authority` didn't sign this certificate.
    ///
    /// If `authority` signed the certificate, or if there is no readable certificate, the result is nil.
    private func otherIssuer(_ authority: LocalAuthority, _ place: CommandContext) throws -> String? {
        guard let files = try TLSFiles.find(place.settings, in: place.directory),
            let server = TextFile.read(files.certificate).flatMap({ try? CertificateFile(pem: $0) })
        else { return nil }
        let isOfOurs = server.isSigned(by: try CertificateFile(pem: authority.pem))
        return isOfOurs ? nil : PlainText.of(server.facts.issuer)
    }

    /// Prints a note if the running broker has not read this authority's certificate yet.
    private func tellIfUnread(_ place: CommandContext) {
        guard ServedCertificates(place.directory, place.settings).isAuthorityUnread else { return }
        Terminal.tell("Restart the service: from then on its broker accepts certificates of the new authority.")
    }

    private func revokeAll(of device: DeviceRecord, _ place: CommandContext, at now: Instant) throws {
        // Times in certificates are whole seconds. Certificates that were made in this second must become void.
        // Therefore, the command voids all certificates that begin before the next second.
        let moment = now.adding(seconds: 1)
        try place.store.batch(at: now, once: true) { tx in
            try tx.lock(devices: [device.did])
            try tx.devices.revokeCertificates(device.did, before: moment)
        }
        guard output.json else { return print("certificates of \(device.shown) made so far are void") }
        Terminal.show(json: ["did": device.did, "revokedUntil": moment])
    }

    /// Throws a `Problem` if the broker trusts another authority and would refuse this authority's certificates.
    private func checkServed(by authority: LocalAuthority, _ place: CommandContext) throws {
        guard let given = place.settings.tlsAuthority, AbsolutePath.of(given) != place.directory.ownTLS.authority else {
            return
        }
        let trusted = TextFile.read(given).flatMap { try? CertificateFile(pem: $0) }
        let own = try CertificateFile(pem: authority.pem)
        guard trusted.map({ own.isSigned(by: $0) }) != true else { return }
        throw Problem.otherAuthority(authority: given)
    }

    private func write(_ issued: IssuedCertificate, _ authority: LocalAuthority, withAuthority: Bool) throws -> TLSFiles
    {
        let folder = AbsolutePath.of(out)
        let (base, authorityFile) = ("\(folder)/\(did)", "\(folder)/authority.pem")
        let files = TLSFiles(certificate: "\(base).pem", key: "\(base).key", authority: authorityFile)
        do {
            try TextFile.makeFolders(of: files.key)
            try TextFile.write(issued.keyPEM, to: files.key)
            try TextFile.write(issued.pem, to: files.certificate)
            if withAuthority { try TextFile.write(authority.pem, to: files.authority) }
        } catch {
            throw Problem.certificateUnwritable(folder: folder, why: "\(error)")
        }
        return files
    }
}
