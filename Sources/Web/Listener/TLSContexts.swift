import NIOCore
import NIOSSL
import Synchronization

/// The certificate that listeners of this process show; a new one takes its place for connections from then on.
package final class TLSContexts: Sendable {
    private let current: Mutex<NIOSSLContext>

    /// Takes a certificate with those that lead to its authority, and its key, as PEM; TLS 1.2 and later.
    ///
    /// - Throws: What the library throws where they don't fit each other.
    package init(certificatePEM: [UInt8], keyPEM: [UInt8]) throws {
        current = Mutex(try Self.make(certificatePEM, keyPEM))
    }

    /// Shows another certificate to connections that begin from now on; the open ones go on.
    ///
    /// - Throws: What the library throws where certificate and key don't fit; then the old one is shown on.
    package func replace(certificatePEM: [UInt8], keyPEM: [UInt8]) throws {
        let next = try Self.make(certificatePEM, keyPEM)
        current.withLock { $0 = next }
    }

    /// Adds TLS to one connection; `tell` is told where the handshake fails.
    func addHandlers(
        to pipeline: ChannelPipeline.SynchronousOperations,
        tell: @escaping ListenerRefusal.Teller
    ) throws {
        try pipeline.addHandler(NIOSSLServerHandler(context: current.withLock { $0 }))
        try pipeline.addHandler(HandshakeWatch(tell))
    }

    private static func make(_ certificate: [UInt8], _ key: [UInt8]) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(certificate)
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: key, format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

/// One address that something is served on, plain or with TLS.
package struct Endpoint: Sendable {
    /// The address to listen on.
    package let host: String
    /// The port; 0 takes any free one.
    package let port: Int
    /// The certificate; nil for a plain one.
    package let tls: TLSContexts?

    /// Names an address.
    package init(host: String, port: Int, tls: TLSContexts? = nil) {
        self.host = host
        self.port = port
        self.tls = tls
    }
}
