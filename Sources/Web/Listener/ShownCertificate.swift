import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A reader of the certificate that a TLS listener presents to its clients.
package enum ShownCertificate {
    /// Returns a server's leaf certificate in DER form, which the caller must check.
    ///
    /// - Throws: The error of the connection or the handshake, or a timeout.
    package static func read(host: String, port: Int, within limit: Duration) async throws -> [UInt8] {
        let (loop, limit) = (MultiThreadedEventLoopGroup.singleton.any(), TimeAmount(limit))
        let context = try NIOSSLContext(configuration: .makeClientConfiguration())
        // A server that requires a client certificate closes the channel right after the handshake. The promise must
        // therefore exist before the channel.
        let done = loop.makePromise(of: [UInt8].self)
        let deadline = loop.scheduleTask(in: limit) { done.fail(ChannelError.connectTimeout(limit)) }
        defer { deadline.cancel() }
        do {
            let channel = try await ClientBootstrap(group: loop)
                .connectTimeout(limit)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            try NIOSSLClientHandler(
                                context: context,
                                serverHostname: nil,
                                customVerificationCallback: { _, verified in
                                    verified.succeed(.certificateVerified)
                                }
                            ), HandshakeReader(done: done),
                        ])
                    }
                }
                .connect(host: host, port: port).get()
            defer { channel.close(promise: nil) }
            return try await done.futureResult.get()
        } catch {
            done.fail(error)
            throw error
        }
    }
}

/// A handler that waits for a handshake's end, and takes the server's certificate.
private final class HandshakeReader: ChannelInboundHandler {
    typealias InboundIn = Any

    let done: EventLoopPromise<[UInt8]>

    init(done: EventLoopPromise<[UInt8]>) { self.done = done }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
            let handler = try? context.pipeline.syncOperations.handler(type: NIOSSLClientHandler.self)
            done.completeWith(Result { try handler?.peerCertificate?.toDERBytes() ?? [] })
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        done.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        done.fail(ChannelError.ioOnClosedChannel)
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { done.fail(ChannelError.ioOnClosedChannel) }
}
