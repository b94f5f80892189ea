import Domain
import Testing

@testable import Certificates

@Suite struct AuthorityTests {
    /// The current time in these tests, 2026-11-23T12:00:00Z.
    private let now = Instant(milliseconds: 1_795_435_200_000)

    private func names(_ texts: String...) -> [ServerName] { texts.compactMap(ServerName.init) }

    @Test("A server's certificate is valid for its names and this machine's names, and matches its key")

    func server() throws {
        let authority = try CertificateAuthority(at: now)

        let issued = try authority.issueServer(names("lamps.example.com", "192.0.2.7", "localhost"), days: 397, at: now)

        let file = try CertificateFile(pem: issued.pem)
        #expect(file.facts.names == ["lamps.example.com", "192.0.2.7", "localhost", "127.0.0.1", "::1"])
        #expect(file.facts.begin == now)
        #expect(file.facts.end == now.adding(seconds: 397 * 86_400))
        #expect(file.facts == issued.facts)
        #expect(!file.isAuthority)
        #expect(file.isSigned(by: try CertificateFile(pem: authority.pem)))
        try file.check(keyPEM: issued.keyPEM)
    }

    @Test("An authority that was stored and loaded again signs certificates of the same authority")

    func renewing() throws {
        let first = try CertificateAuthority(at: now)
        let old = try first.issueServer(names("a.example"), days: 10, at: now)

        let again = try CertificateAuthority(pem: try first.pem, keyPEM: try first.keyPEM)
        let later = now.adding(seconds: 9 * 86_400)
        let new = try again.issueServer(names("a.example"), days: 10, at: later)

        let trusted = try CertificateFile(pem: first.pem)
        #expect(try CertificateFile(pem: old.pem).isSigned(by: trusted))
        #expect(try CertificateFile(pem: new.pem).isSigned(by: trusted))
        #expect(new.facts.end == later.adding(seconds: 10 * 86_400))
        #expect(throws: CertificateFault.keyMismatch) { try CertificateFile(pem: new.pem).check(keyPEM: old.keyPEM) }
    }

    @Test("An expired authority signs nothing")
    func ended() throws {
        let authority = try CertificateAuthority(at: now)
        let later = now.adding(seconds: 3651 * 86_400)

        #expect(throws: CertificateFault.authorityEnded) { try authority.issueServer([], days: 1, at: later) }
        #expect(throws: CertificateFault.authorityEnded) {
            try authority.issueDevice(DeviceID(trusted: "d-1"), days: 1, from: later)
        }
    }

    @Test(
        "An authority is linked to its successor until it expires, and is found by its key among several authorities"
    )
    func link() throws {
        let old = try CertificateAuthority(at: now)
        let later = now.adding(seconds: 3600 * 86_400)
        let new = try CertificateAuthority(at: later)

        let link = try CertificateFile(pem: old.link(to: new, at: later))
        let leaf = try CertificateFile(pem: new.issueServer([], days: 1, at: later).pem)

        #expect(link.isSigned(by: try CertificateFile(pem: old.pem)))
        #expect(leaf.isSigned(by: link))
        #expect(link.isAuthority)
        #expect(link.facts.subject == new.facts.subject)
        #expect(link.facts.end == old.facts.end)
        #expect(throws: CertificateFault.authorityEnded) { try old.link(to: new, at: old.facts.end) }

        let both = try new.pem + old.pem
        #expect(try CertificateAuthority(pem: both, keyPEM: old.keyPEM).facts == old.facts)
        #expect(try CertificateAuthority(pem: both, keyPEM: new.keyPEM).facts == new.facts)
        let file = try CertificateFile(pem: both)
        #expect(file.allFacts == [new.facts, old.facts])
        #expect(try file.pem(endingAfter: old.facts.end) == new.pem)
    }

    @Test("A certificate isn't attributed to another authority, even one with the same name") func foreign() throws {
        let one = try CertificateAuthority(at: now)
        let other = try CertificateAuthority(at: now)
        let issued = try one.issueServer([], days: 1, at: now)

        #expect(try !CertificateFile(pem: issued.pem).isSigned(by: CertificateFile(pem: other.pem)))
        #expect(throws: CertificateFault.keyMismatch) {
            try CertificateAuthority(pem: try one.pem, keyPEM: try other.keyPEM)
        }
        #expect(throws: CertificateFault.notAuthority) {
            try CertificateAuthority(pem: issued.pem, keyPEM: issued.keyPEM)
        }
    }

    @Test(
        "A device's certificate contains only the device's name, and doesn't outlive its authority"
    )
    func device() throws {
        let authority = try CertificateAuthority(at: now)
        let did = try #require(DeviceID("d-0123456789abc"))

        let issued = try authority.issueDevice(did, days: 10_000, from: now)

        #expect(issued.facts.subject == "CN=device/d-0123456789abc")
        #expect(issued.facts.names.isEmpty)
        #expect(issued.facts.end == (try CertificateFile(pem: authority.pem)).facts.end)
    }

    @Test(
        "A certificate belongs to an authority if the last certificate of its chain is signed by the authority"
    )
    func chain() throws {
        let authority = try CertificateAuthority(at: now)
        let other = try CertificateAuthority(at: now)
        let leaf = try other.issueServer([], days: 1, at: now)
        let link = try authority.issueServer([], days: 1, at: now)

        let file = try CertificateFile(pem: leaf.pem + link.pem)

        #expect(file.isSigned(by: try CertificateFile(pem: authority.pem)))
        #expect(file.facts == leaf.facts)
    }

    struct Fault: CustomTestStringConvertible, Sendable {
        let name: String
        let certificate: @Sendable (IssuedCertificate) -> String
        let key: @Sendable (IssuedCertificate) -> String
        let fault: CertificateFault?

        var testDescription: String { name }
    }

    @Test(
        "Each kind of unusable file has its own error",
        arguments: [
            Fault(name: "right", certificate: { $0.pem }, key: { $0.keyPEM }, fault: nil),
            Fault(
                name: "both in one file",
                certificate: { $0.keyPEM + $0.pem },
                key: { $0.pem + $0.keyPEM },
                fault: nil
            ), Fault(name: "empty", certificate: { _ in "" }, key: { $0.keyPEM }, fault: .noCertificate),
            Fault(name: "no PEM", certificate: { _ in "hello" }, key: { $0.keyPEM }, fault: .noCertificate),
            Fault(name: "the key alone", certificate: { $0.keyPEM }, key: { $0.keyPEM }, fault: .noCertificate),
            Fault(
                name: "a certificate cut short",
                certificate: { _ in "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n" },
                key: { $0.keyPEM },
                fault: .noCertificate
            ),
            Fault(name: "no key", certificate: { $0.pem }, key: { $0.pem }, fault: .noKey),
            Fault(
                name: "a key that is no key",
                certificate: { $0.pem },
                key: { _ in "-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n" },
                fault: .noKey
            ),
            Fault(
                name: "an encrypted key",
                certificate: { $0.pem },
                key: { _ in "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n" },
                fault: .keyEncrypted
            ),
        ]
    )
    func faults(_ row: Fault) throws {
        let issued = try CertificateAuthority(at: now).issueServer([], days: 1, at: now)

        var found: CertificateFault?
        do throws(CertificateFault) {
            try CertificateFile(pem: row.certificate(issued)).check(keyPEM: row.key(issued))
        } catch {
            found = error
        }

        #expect(found == row.fault)
    }
}
