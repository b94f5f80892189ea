import Domain
import SwiftASN1
import Testing
import X509

@testable import Certificates

@Suite struct CertificateFormTests {
    private let now = Instant(milliseconds: 1_795_435_200_000)

    @Test("Certificates in DER form, certificate requests and other forms than PEM are recognized")

    func forms() throws {
        let issued = try CertificateAuthority(at: now).issueServer([], days: 1, at: now)
        let der = try PEMDocument(pemString: issued.pem).derBytes
        let long = [0x30, 0x82, 0x0a, 0x10, 2, 1, 3, 0x30] + [UInt8](repeating: 0xff, count: 9)
        let short = [0x30, 0x10, 2, 1, 3] + [UInt8](repeating: 0xff, count: 9)

        #expect(CertificateForm(der) == .derCertificate)
        #expect(CertificateForm(long) == .pkcs12)
        #expect(CertificateForm(short) == .pkcs12)
        #expect(CertificateForm([0xfe, 0xed, 0xfe, 0xed]) == .binary)
        #expect(CertificateForm(Array("-----BEGIN PKCS7-----".utf8)) == .pkcs7)
        #expect(CertificateForm(Array("-----BEGIN CERTIFICATE REQUEST-----".utf8)) == .request)
        #expect(CertificateForm(Array("-----BEGIN NEW CERTIFICATE REQUEST-----".utf8)) == .request)
    }

    @Test("A file that can be PEM is not taken for another form")
    func pem() throws {
        let issued = try CertificateAuthority(at: now).issueServer([], days: 1, at: now)

        #expect(CertificateForm(Array(issued.pem.utf8)) == nil)
        #expect(CertificateForm(Array(issued.keyPEM.utf8)) == nil)
        let latin = Array("friendlyName: B".utf8) + [0xfc, 0x0a] + Array(issued.pem.utf8)
        #expect(CertificateForm(latin) == nil)
        #expect(CertificateForm([]) == nil)
        #expect(CertificateForm(Array("hello".utf8)) == nil)
    }
}
