import Certificates
import Domain
import Files
import Glibc
import Problems
import Testing

@testable import Service

@Suite struct LocalAuthorityTests {
    private let now = Instant(milliseconds: 1_795_435_200_000)

    private func directory(_ folder: TemporaryFolder) throws -> DataDirectory {
        try DataDirectory.prepare(folder.path + "/d")
    }

    private func file(_ path: String) throws -> CertificateFile {
        try CertificateFile(pem: #require(TextFile.read(path)))
    }

    @Test(
        "A renewed authority precedes the old one, and the server's certificate leads to both"
    )
    func renewed() throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        let first = try LocalAuthority.readOrMake(in: directory, at: now)
        let later = now.adding(seconds: 3000 * 86_400)

        let second = try LocalAuthority.renew(in: directory, at: later)
        _ = try second.renewServer([], days: 10, at: later)

        #expect(second.isNew && second.linkedUntil == first.facts.end)
        let trusted = try file(directory.ownTLS.authority)
        #expect(trusted.allFacts == [second.facts, first.facts])
        let chain = try file(directory.ownTLS.certificate).allFacts
        #expect(chain.map(\.issuer) == [second.facts.subject, first.facts.subject])
        #expect(chain[1].subject == second.facts.subject)
        let again = try LocalAuthority.readOrMake(in: directory, at: later)
        #expect(again.facts == second.facts && !again.isNew)
        #expect(try !TLSMaterial(directory.ownTLS).isForeign)

        // After the first authority has expired, new files leave it out. The server's new certificate file lacks the
        // certificate that the first authority signed for the second one. The new authority file lacks the first
        // authority.
        let ended = first.facts.end
        _ = try again.renewServer([], days: 10, at: ended)
        #expect(try file(directory.ownTLS.certificate).allFacts.count == 1)
        let third = try LocalAuthority.renew(in: directory, at: ended)
        #expect(try file(directory.ownTLS.authority).allFacts == [third.facts, second.facts])
    }

    @Test(
        "An authority that has expired, or whose key is lost, is replaced without a link",
        arguments: [true, false]
    )
    func unlinked(_ isEnded: Bool) throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        let first = try LocalAuthority.readOrMake(in: directory, at: now)
        let later = isEnded ? first.facts.end : now
        if isEnded {
            let problem = #expect(throws: Problem.self) { try first.renewServer([], days: 1, at: later) }
            #expect(problem?.cures.first?.command.contains("--renew-authority") == true)
        } else {
            unlink(directory.authorityKey)
            let problem = #expect(throws: Problem.self) { try LocalAuthority.readOrMake(in: directory, at: later) }
            #expect(problem?.cures.contains { $0.command.contains("--renew-authority") } == true)
        }

        let second = try LocalAuthority.renew(in: directory, at: later)
        _ = try second.renewServer([], days: 1, at: later)

        #expect(second.linkedUntil == nil)
        #expect(try file(directory.ownTLS.certificate).allFacts.count == 1)
        let trusted = try file(directory.ownTLS.authority).allFacts
        #expect(trusted == [second.facts] + (isEnded ? [] : [first.facts]))
        #expect(!TextFile.exists(directory.authorityLinks))
    }

    @Test(
        "A certificate of another authority and each expiry are reported, with a solution"
    )
    func concerns() throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        let authority = try LocalAuthority.readOrMake(in: directory, at: now)
        let server = try authority.renewServer([], days: 397, at: now)
        let files = directory.ownTLS
        #expect(try TLSMaterial(files).concerns(at: now).isEmpty)

        let soon = try TLSMaterial(files).concerns(at: server.end.adding(seconds: -20 * 86_400))
        #expect(soon.map(\.path) == [files.certificate])
        #expect(soon.map(\.isUrgent) == [false])
        #expect(soon.first?.command?.contains("--renew-authority") == false)

        // Both the certificate and the authority end soon. A new certificate would also end with its authority. So for
        // both files, the suggested command renews the authority.
        let last = authority.facts.end.adding(seconds: -86_400)
        let both = try TLSMaterial(files).concerns(at: last)
        #expect(both.map(\.path) == [files.certificate, files.authority])
        #expect(both.allSatisfy { $0.isUrgent && $0.command?.contains("--renew-authority") == true })

        try TextFile.write(CertificateAuthority(at: now).pem, to: files.authority)
        let foreign = try TLSMaterial(files).concerns(at: now)
        #expect(foreign.map(\.path) == [files.certificate] && foreign[0].isUrgent)
        #expect(foreign[0].text.description.contains("has not signed it"))
        let given = TLSFiles(certificate: files.certificate, key: files.key, authority: files.authority)
        #expect(try TLSMaterial(given).concerns(at: now).isEmpty)
        #expect(try TLSMaterial(given).concerns(at: server.end).first?.command == nil)
    }

    @Test(
        "A file in another form is reported with the command that converts it",
        arguments: [
            ([0x30, 0x82, 0x0a, 0x10, 2, 1, 3, 0x80, 0xff], "pkcs12"), ([0, 1, 2, 0xff], "DER"),
            (Array("-----BEGIN PKCS7-----".utf8), "pkcs7"),
            (Array("-----BEGIN CERTIFICATE REQUEST-----".utf8), "request"), (Array("hello".utf8), "no certificate"),
        ] as [([UInt8], String)]
    )
    func forms(_ bytes: [UInt8], _ word: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/given"
        try TextFile.write(bytes: bytes, to: path)
        let files = TLSFiles(certificate: path, key: path, authority: folder.path + "/none")

        let problem = #expect(throws: Problem.self) { try TLSMaterial(files) }

        #expect(problem?.place == path)
        #expect(problem?.text.contains(word) == true)
        #expect(problem?.cures.isEmpty == false)
        #expect(problem?.text.contains("tls show") == false)
    }

    @Test("A missing file and a directory have different errors")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        #expect(TextFile.unreadable(folder.path + "/none") == "it is missing")
        #expect(TextFile.unreadable(folder.path) == "it is a directory")
    }
}
