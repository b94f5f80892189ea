import Testing

@testable import Service

@Suite("The certificate of a broker that starts again")
struct CertificateHandoverTests {
    @Test("A certificate that comes while the broker runs is shown at once")
    func running() {
        var handover = CertificateHandover("old")
        #expect(handover.begin() == "old")
        #expect(handover.end() == nil)

        #expect(handover.take("new") == "new")
        #expect(handover.begin() == "new")
    }

    @Test(
        "One that comes during a start waits for its end, and is not overwritten by the older one"
    )
    func starting() {
        var handover = CertificateHandover("old")
        #expect(handover.begin() == "old")

        #expect(handover.take("new") == nil)
        #expect(handover.take("newer") == nil)
        #expect(handover.end() == "newer")
        #expect(handover.end() == nil)
    }

    @Test("After a start that failed the next one takes what came meanwhile")
    func failed() {
        var handover = CertificateHandover("old")
        _ = handover.begin()
        _ = handover.take("new")
        _ = handover.end()

        #expect(handover.begin() == "new")
        #expect(handover.end() == nil)
    }

    @Test("Without TLS there is nothing to show")
    func none() {
        var handover = CertificateHandover<String>(nil)

        #expect(handover.begin() == nil)
        #expect(handover.end() == nil)
    }
}
