import Domain
import Testing

@testable import Certificates

@Suite struct CertificateAgeTests {
    /// Each argument has the days of validity, seconds until expiry, and the expected age.
    @Test(
        "A short-lived certificate is due for renewal in the last third of its life, and urgently in the last tenth",
        arguments: [
            (7, 7 * 86_400, CertificateAge.fine), (7, 7 * 28_800 + 1, .fine),
            (7, 7 * 28_800, .soon),
            (7, 7 * 8_640 + 1, .soon), (7, 7 * 8_640, .urgent), (7, 0, .ended),
            (90, 30 * 86_400, .soon), (90, 7 * 86_400, .urgent), (47, 15 * 86_400, .soon),
            (47, 16 * 86_400, .fine), (47, 5 * 86_400, .soon), (47, 4 * 86_400, .urgent),
        ] as [(Int, Int64, CertificateAge)]
    )
    func short(_ days: Int, _ left: Int64, _ age: CertificateAge) throws {
        let begin = Instant(milliseconds: 1_795_435_200_000)
        let facts = try CertificateAuthority(at: begin).issueServer([], days: days, at: begin).facts

        #expect(CertificateAge(facts, at: facts.end.adding(seconds: -left)) == age)
    }

    /// Each argument has a 397-day certificate's seconds until expiry, and the expected age.
    @Test(
        "A certificate is due for renewal 30 days before it expires, and urgently 7 days before",
        arguments: [
            (397 * 86_400 + 1, CertificateAge.early), (397 * 86_400, .fine),
            (30 * 86_400 + 1, .fine),
            (30 * 86_400, .soon), (7 * 86_400 + 1, .soon), (7 * 86_400, .urgent), (1, .urgent),
            (0, .ended),
            (-86_400, .ended),
        ] as [(Int64, CertificateAge)]
    )
    func ages(_ left: Int64, _ age: CertificateAge) throws {
        let begin = Instant(milliseconds: 1_795_435_200_000)
        let facts = try CertificateAuthority(at: begin).issueServer([], days: 397, at: begin).facts

        #expect(CertificateAge(facts, at: facts.end.adding(seconds: -left)) == age)
    }
}
