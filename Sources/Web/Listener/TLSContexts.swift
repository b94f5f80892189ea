import NIOCore
import NIOSSL
import Synchronization

/// The certificate that the listeners of this process present to new connections.
package final class TLSContexts: Sendable {
    private let current: Mutex<NIOSSLContext>

    /// Creates a context for TLS 1.2 and later from a certificate chain and key.
    ///
    /// - Throws: The library's error if the certificate and the key don't match.
    package init(certificatePEM: String, keyPEM: String) throws {
        current = Mutex(try Self.make(certificatePEM, keyPEM))
    }

    /// Presents another certificate to connections that begin from now on.
    ///
    /// - Throws: The library's error if the certificate and the key don't match. The former certificate then stays in
    ///   use.
    package func replace(certificatePEM: String, keyPEM: String) throws {
        let next = try Self.make(certificatePEM, keyPEM)
        current.withLock { $0 = next }
    }

    /// Adds TLS to a connection, and calls `tell` if a client's handshake fails.
    func addHandlers(to pipeline: ChannelPipeline.SynchronousOperations, tell: @escaping ListenerRefusal.Teller) throws
    {
        try pipeline.addHandler(NIOSSLServerHandler(context: current.withLock { $0 }))
        try pipeline.addHandler(HandshakeWatch(tell))
    }

    private static func make(_ certificate: String, _ key: String) throws -> NIOSSLContext {
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(certificate.utf8))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(key.utf8), format: .pem))
        )
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: configuration)
    }
}

/// An address to listen on, with or without TLS.
package struct Endpoint: Sendable {
    /// The host to listen on.
    package let host: String
    /// The port; 0 means any free port.
    package let port: Int
    /// The certificate; nil for a listener without TLS.
    package let tls: TLSContexts?

    /// Creates an endpoint.
    package init(host: String, port: Int, tls: TLSContexts? = nil) {
        (self.host, self.port, self.tls) = (host, port, tls)
    }
}
