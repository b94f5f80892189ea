import Certificates
import Domain
import Files
import Glibc
import Logging
import Problems
import Synchronization
import Testing

@testable import Service

@Suite struct CertificateWatchTests {
    private let now = Instant(milliseconds: 1_795_435_200_000)

    private func directory(_ folder: TemporaryFolder) throws -> DataDirectory {
        try DataDirectory.prepare(folder.path + "/d")
    }

    @Test(
        "A renewed certificate is loaded once; if it doesn't match its key, the previous one is kept"
    )
    func renewed() throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        let authority = try LocalAuthority.readOrMake(in: directory, at: now)
        #expect(authority.isNew)
        let first = try authority.renewServer([], days: 100, at: now)
        let taken = Mutex<[Instant]>([])
        let watch = CertificateWatch(
            try TLSMaterial(directory.ownTLS),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ) { material in
            taken.withLock { $0.append(material.certificate.end) }
        }
        watch.look(at: now)
        #expect(taken.withLock { $0.isEmpty })

        let again = try LocalAuthority.readOrMake(in: directory, at: now)
        #expect(!again.isNew)
        let second = try again.renewServer([], days: 200, at: now)
        watch.look(at: now)
        watch.look(at: now)
        #expect(taken.withLock { $0 } == [second.end])
        #expect(first.end != second.end)

        try TextFile.write("nonsense", to: directory.ownTLS.certificate)
        watch.look(at: now)
        #expect(taken.withLock { $0.count } == 1)

        let third = try again.renewServer([], days: 300, at: now)
        watch.look(at: now)
        #expect(taken.withLock { $0 } == [second.end, third.end])
    }

    @Test("A certificate that clients would refuse doesn't replace a valid one")

    func invalid() throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        let authority = try LocalAuthority.readOrMake(in: directory, at: now)
        let first = try authority.renewServer([], days: 100, at: now)
        let taken = Mutex<[Instant]>([])
        let watch = CertificateWatch(
            try TLSMaterial(directory.ownTLS),
            logger: Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        ) { material in
            taken.withLock { $0.append(material.certificate.end) }
        }
        let later = now.adding(seconds: 50 * 86_400)
        _ = try authority.renewServer([], days: 10, at: now)
        watch.look(at: later)
        #expect(taken.withLock { $0.isEmpty })

        // The watch accepts a new certificate only when its period of validity has begun.
        let begin = later.adding(seconds: 86_400)
        let early = try authority.renewServer([], days: 100, at: begin)
        watch.look(at: later)
        #expect(taken.withLock { $0.isEmpty })
        watch.look(at: begin)
        watch.look(at: begin)
        #expect(taken.withLock { $0 } == [early.end])

        // A new certificate replaces an expired one, even if the new one has expired too.
        let ended = try authority.renewServer([], days: 1, at: now)
        watch.look(at: early.end)
        #expect(taken.withLock { $0 } == [early.end, ended.end])
        #expect(first.end < early.end)
    }

    @Test(
        "Unusable files are reported with their paths",
        arguments: ["key of another", "open key", "missing key"]
    )
    func faults(_ fault: String) throws {
        let folder = try TemporaryFolder()
        let directory = try directory(folder)
        _ = try LocalAuthority.readOrMake(in: directory, at: now).renewServer([], days: 1, at: now)
        let files = directory.ownTLS
        switch fault {
        case "key of another":
            let other = try CertificateAuthority(at: now).issueServer([], days: 1, at: now)
            try TextFile.write(other.keyPEM, to: files.key)
        case "open key": chmod(files.key, 0o644)
        default: unlink(files.key)
        }

        let problem = #expect(throws: Problem.self) { try TLSMaterial(files) }

        #expect(problem?.place == files.key)
        #expect(problem?.code == (fault == "key of another" ? .certificateKeyMismatch : .certificateUnusable))
    }

    @Test(
        "Times until expiry are shown in days",
        arguments: [(40, nil), (20, "20 days"), (2, "2 days"), (1, "24 hours"), (-1, "the certificate expired")]
            as [(Int, String?)]
    )
    func words(_ days: Int, _ words: String?) throws {
        let facts = try CertificateAuthority(at: now).issueServer([], days: 100, at: now).facts
        let moment = facts.end.adding(seconds: Int64(-days) * 86_400)

        let warning = CertificateText.warning(facts, at: moment)

        #expect((warning == nil) == (words == nil))
        if let words { #expect(warning?.description.contains(words) == true) }
    }
}
