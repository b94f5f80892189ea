import SwiftASN1
import X509

/// The form of a file that should contain a PEM certificate or key, but contains something else.
package enum CertificateForm: Sendable, Equatable {
    /// PKCS #12 (`.p12`, `.pfx`): a certificate and its key in one file, usually with a passphrase.
    case pkcs12
    /// A certificate in DER form (`.der`, `.cer`).
    case derCertificate
    /// Certificates without a key, in PKCS #7 form (`.p7b`) encoded as PEM.
    case pkcs7
    /// A certificate signing request (`.csr`), from which an authority makes a certificate.
    case request
    /// Some other binary form.
    case binary

    /// Recognises a file's form, or returns nil for text that might be a PEM certificate or key.
    package init?(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        // A file with a PEM block counts as text even if the file isn't valid UTF-8. Some tools write text in another
        // encoding before the PEM block.
        let isText = !bytes.contains(0) && String(validating: bytes, as: UTF8.self) != nil
        guard isText || text.contains("-----BEGIN ") else {
            self = Self.binary(bytes)
            return
        }
        if text.contains("-----BEGIN PKCS7-----") {
            self = .pkcs7
        } else if text.contains("CERTIFICATE REQUEST-----") {
            self = .request
        } else {
            return nil
        }
    }

    private static func binary(_ bytes: [UInt8]) -> Self {
        if (try? Certificate(derEncoded: bytes)) != nil { return .derCertificate }
        // PFX ::= SEQUENCE { version INTEGER 3, … }. The length field before the version takes 1 to 5 bytes.
        let isPFX = (2...6).contains { start in
            bytes.first == 0x30 && bytes.dropFirst(start).prefix(3).elementsEqual([2, 1, 3])
        }
        return isPFX ? .pkcs12 : .binary
    }
}
