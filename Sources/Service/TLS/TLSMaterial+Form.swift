import Certificates
import Problems

extension Problem {
    /// Returns the problem of a file that isn't PEM, with the command that converts it.
    static func notPEM(_ path: String, _ form: CertificateForm) -> Problem {
        switch form {
        case .pkcs12: .isPKCS12(path: path)
        case .derCertificate: .isDER(path: path)
        case .pkcs7: .isPKCS7(path: path)
        case .request: .isRequest(path: path)
        case .binary: .isBinary(path: path)
        }
    }
}
