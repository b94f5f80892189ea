import Certificates
import Problems

extension TLSMaterial {
    /// Returns the problem of a file that isn't PEM, with the command that converts the file.
    static func problem(_ path: String, of form: CertificateForm) -> Problem {
        let (why, cures) = words(path, form)
        return problem(path, why + "; certificates and keys are read as PEM", cures: cures)
    }

    private static func words(_ path: String, _ form: CertificateForm) -> (why: String, cures: [Problem.Cure]) {
        switch form {
        case .pkcs12:
            (
                "it is in PKCS #12 format (.p12, .pfx), which has the certificate and the key in one file",
                [
                    .init(
                        "openssl pkcs12 -in '\(path)' -nokeys -out server.pem",
                        "the certificates, for tls.certificate"
                    ), .init("openssl pkcs12 -in '\(path)' -nocerts -noenc -out server.key", "the key, for tls.key"),
                ]
            )
        case .derCertificate:
            (
                "it is a certificate in DER format (.der, .cer)",
                [.init("openssl x509 -inform DER -in '\(path)' -out server.pem", "convert it")]
            )
        case .pkcs7:
            (
                "it is in PKCS #7 format (.p7b)",
                [
                    .init(
                        "openssl pkcs7 -print_certs -in '\(path)' -out server.pem",
                        "convert it; the server's certificate must come first"
                    )
                ]
            )
        case .request:
            (
                "it is a certificate request (.csr), not a certificate",
                [.init("send it to the authority", "which makes the certificate from it")]
            )
        case .binary:
            (
                "it is not text",
                [
                    .init(
                        "openssl pkey -inform DER -in '\(path)' -out server.key",
                        "convert it, if it is a key in DER format"
                    )
                ]
            )
        }
    }
}
