import NIOCore
import NIOSSL

/// A handler, after the TLS handler in the pipeline, that reports clients whose TLS handshake failed.
///
/// A client that leaves during the handshake isn't reported. Such a client may only have checked whether the port is
/// open.
final class HandshakeWatch: ChannelInboundHandler {
    typealias InboundIn = NIOAny

    private let tell: ListenerRefusal.Teller
    private var hasTold = false

    init(_ tell: @escaping ListenerRefusal.Teller) { self.tell = tell }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if !hasTold, let detail = Self.fault(error) {
            hasTold = true
            let address = LocalPeer.address(of: context.channel)
            tell(ListenerRefusal(.handshake, address: address, detail: detail))
        }
        context.fireErrorCaught(error)
    }

    /// Returns the TLS library's name for the fault of a failed handshake.
    ///
    /// The result is nil if the client left during the handshake, or if `error` isn't a failed handshake.
    static func fault(_ error: any Error) -> String? {
        guard case .handshakeFailed(let cause)? = error as? NIOSSLError else { return nil }
        if case .sslError(let stack) = cause, stack == [.eofDuringHandshake] { return nil }
        // An example of this text is `Error: 268435612 error:1000009c:SSL routines:OPENSSL_internal:HTTP_REQUEST at
        // /a/path:1`.
        let text = "\(cause)"
        guard let start = text.firstRange(of: "OPENSSL_internal:")?.upperBound else { return "the handshake failed" }
        return String(text[start...].prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") })
    }
}
