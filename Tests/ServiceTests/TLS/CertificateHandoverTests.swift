import Testing

@testable import Service

@Suite("Handing a certificate to a restarting broker")
struct CertificateHandoverTests {
    @Test("A certificate that arrives while the broker runs is used at once")
    func running() {
        var handover = CertificateHandover("old")
        #expect(handover.begin() == "old")
        #expect(handover.end() == nil)

        #expect(handover.take("new") == "new")
        #expect(handover.begin() == "new")
    }

    @Test(
        "A certificate that arrives during a start is used after it, and not replaced by the older one"
    )
    func starting() {
        var handover = CertificateHandover("old")
        #expect(handover.begin() == "old")

        #expect(handover.take("new") == nil)
        #expect(handover.take("newer") == nil)
        #expect(handover.end() == "newer")
        #expect(handover.end() == nil)
    }

    @Test("After a failed start, the next start uses the certificate that arrived meanwhile")
    func failed() {
        var handover = CertificateHandover("old")
        _ = handover.begin()
        _ = handover.take("new")
        _ = handover.end()

        #expect(handover.begin() == "new")
        #expect(handover.end() == nil)
    }

    @Test("Without TLS there is no certificate to use")
    func none() {
        var handover = CertificateHandover<String>(nil)

        #expect(handover.begin() == nil)
        #expect(handover.end() == nil)
    }
}
