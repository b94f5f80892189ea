import Certificates
import Problems

extension Problem {
    /// Returns the problem for a file that isn't in PEM format, with the command that converts the file.
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
