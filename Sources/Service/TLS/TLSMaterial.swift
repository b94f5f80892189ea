package import Certificates
package import Files
import Problems

/// A server's certificate with its key, and the certificates of the authorities that sign devices' certificates.
package struct TLSMaterial: Sendable {
    /// The files from which the certificates and the key were read.
    package let files: TLSFiles
    let certificatePEM: String
    let keyPEM: String
    let authorityPEM: String?
    /// The facts in the server's certificate.
    package let certificate: CertificateFacts
    /// The facts in the given authorities' certificates, the newest first.
    package let authorities: [CertificateFacts]
    /// Whether the certificate is from `lamplighter tls init` but not signed by the present authority.
    package let isForeign: Bool

    /// The facts in the newest authority's certificate, or nil if there is no authority.
    package var authority: CertificateFacts? { authorities.first }

    /// Reads and checks the files.
    ///
    /// - Throws: A `Problem` that names the file and its fault.
    package init(_ files: TLSFiles) throws {
        self.files = files
        let maker = files.certificateMaker
        certificatePEM = try Self.text(files.certificate, maker)
        keyPEM = try Self.text(files.key, maker)
        let server = try Self.read(files.certificate, maker) {
            [certificatePEM] () throws(CertificateFault) in
            try CertificateFile(pem: certificatePEM)
        }
        try Self.read(files.key, maker) { [keyPEM] () throws(CertificateFault) in
            try server.check(keyPEM: keyPEM)
        }
        if let mode = TextFile.mode(files.key), mode & 0o007 != 0 {
            throw Problem.keyReadableByAll(path: files.key)
        }
        certificate = server.facts
        isForeign = try Self.signer(files).map { !server.isSigned(by: $0) } ?? false
        guard TextFile.exists(files.authority) else {
            (authorityPEM, authorities) = (nil, [])
            return
        }
        let pem = try Self.text(files.authority, files.authorityMaker)
        authorityPEM = pem
        authorities = try Self.authority(files.authority, files.authorityMaker, pem: pem).allFacts
    }

    /// Returns the authority that should have signed the server's certificate, or nil if that authority isn't known.
    private static func signer(_ files: TLSFiles) throws -> CertificateFile? {
        guard let path = files.signer, TextFile.exists(path) else { return nil }
        return try authority(path, files.certificateMaker, pem: text(path, files.certificateMaker))
    }

    private static func authority(
        _ path: String,
        _ maker: String?,
        pem: String
    ) throws -> CertificateFile {
        try read(path, maker) { () throws(CertificateFault) in
            let file = try CertificateFile(pem: pem)
            guard file.isAuthority else { throw .notAuthority }
            return file
        }
    }

    private static func text(_ path: String, _ maker: String?) throws -> String {
        guard let bytes = TextFile.readBytes(path) else {
            throw problem(path, TextFile.unreadable(path), cures: cures(maker))
        }
        if let form = CertificateForm(bytes) { throw Problem.notPEM(path, form) }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func read<Value>(
        _ path: String,
        _ maker: String?,
        body: () throws(CertificateFault) -> Value
    ) throws -> Value {
        do {
            return try body()
        } catch .keyMismatch {
            throw Problem(
                .certificateKeyMismatch,
                "the key in \(path) belongs to another certificate",
                at: path,
                why: "the certificate's public key does not match this private key",
                cures: cures(maker)
            )
        } catch {
            throw problem(path, error.text, cures: cures(maker))
        }
    }

    private static func cures(_ maker: String?) -> [Problem.Cure] {
        guard let maker else {
            return [
                .init("lamplighter config", "see which files tls.certificate and tls.key name"),
                .init("omit them", "to use the certificate and key of `lamplighter tls init`"),
            ]
        }
        return [
            .init("lamplighter tls init --data '\(maker)'", "make the certificate and key again"),
            .init(
                "lamplighter restore FILE --data DIR",
                "take the pair from a backup, which contains tls/"
            ),
        ]
    }

    /// Returns the problem for a file that can't be used.
    static func problem(_ path: String, _ why: String, cures: [Problem.Cure]) -> Problem {
        Problem(
            .certificateUnusable,
            "\(path) cannot be used for TLS",
            at: path,
            why: why,
            cures: cures
        )
    }
}
