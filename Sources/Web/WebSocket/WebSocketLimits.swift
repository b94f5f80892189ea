/// The limits of MQTT over WebSocket.
package struct WebSocketLimits: Sendable {
    /// The maximum number of open connections.
    package var connections: Int
    /// The maximum number of open connections from one source address, or from its /64 for IPv6; a proxy on this
    /// machine can use them all.
    package var perAddress: Int
    /// The maximum number of seconds until a connection has become a WebSocket, TLS included.
    package var upgradeSeconds: Int64
    /// The maximum number of bytes buffered for a connection in each direction until the other side reads them; also
    /// the largest frame.
    package var bufferBytes: Int

    /// The seconds within which the broker must accept a connection.
    static let connectSeconds: Int64 = 3
    /// The seconds within which the broker must answer the client's first packet.
    static let firstPacketSeconds: Int64 = 10
    /// The seconds within which the client must read the last frame before the connection is closed.
    static let farewellSeconds: Int64 = 1

    /// Creates the limits.
    package init(
        connections: Int,
        perAddress: Int,
        upgradeSeconds: Int64,
        bufferBytes: Int
    ) {
        self.connections = connections
        self.perAddress = perAddress
        self.upgradeSeconds = upgradeSeconds
        self.bufferBytes = bufferBytes
    }
}
