package import Certificates
package import Files
import Problems

/// A server's certificate with its key, read and found to fit, and the authority of devices' certificates.
package struct TLSMaterial: Sendable {
    /// The files that it was read from.
    package let files: TLSFiles
    let certificatePEM: String
    let keyPEM: String
    let authorityPEM: String?
    /// What the server's certificate says.
    package let certificate: CertificateFacts
    /// What the authority says; nil where none is given.
    package let authority: CertificateFacts?
    /// Whether the server's certificate is of that authority, and not, say, of a public one.
    package let isOfAuthority: Bool

    /// Reads and checks the files.
    ///
    /// - Throws: A `Problem` that names the file and what is wrong with it.
    package init(_ files: TLSFiles) throws {
        self.files = files
        certificatePEM = try Self.text(files.certificate)
        keyPEM = try Self.text(files.key)
        let server = try Self.read(files.certificate) {
            [certificatePEM] () throws(CertificateFault) in
            try CertificateFile(pem: certificatePEM)
        }
        try Self.read(files.key) { [keyPEM] () throws(CertificateFault) in
            try server.check(keyPEM: keyPEM)
        }
        if let mode = TextFile.mode(files.key), mode & 0o007 != 0 {
            throw Self.problem(files.key, "every user of this machine may read the key")
        }
        certificate = server.facts
        guard TextFile.exists(files.authority) else {
            (authorityPEM, authority, isOfAuthority) = (nil, nil, false)
            return
        }
        let pem = try Self.text(files.authority)
        let signer = try Self.read(files.authority) { () throws(CertificateFault) in
            let file = try CertificateFile(pem: pem)
            guard file.isAuthority else { throw .notAuthority }
            return file
        }
        authorityPEM = pem
        authority = signer.facts
        isOfAuthority = server.isSigned(by: signer)
    }

    private static func text(_ path: String) throws -> String {
        guard let text = TextFile.read(path) else {
            throw problem(path, "it is missing, or this user may not read it")
        }
        return text
    }

    private static func read<Value>(
        _ path: String,
        _ body: () throws(CertificateFault) -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch .keyMismatch {
            throw Problem(
                .certificateKeyMismatch,
                "the key in \(path) belongs to another certificate",
                at: path,
                why: "its certificate has another public key than the one that fits to the key",
                cures: [
                    .init("lamplighter tls show", "which files are read"),
                    .init("lamplighter tls init", "make a pair of one's own"),
                ]
            )
        } catch {
            throw problem(path, error.text)
        }
    }

    /// Makes the problem of a file that can't be used.
    static func problem(_ path: String, _ why: String) -> Problem {
        Problem(
            .certificateUnusable,
            "\(path) cannot be used for TLS",
            at: path,
            why: why,
            cures: [
                .init("lamplighter tls show", "which files are read"),
                .init("lamplighter tls init", "make a certificate of one's own"),
            ]
        )
    }
}
