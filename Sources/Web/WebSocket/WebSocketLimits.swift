/// The limits of MQTT over WebSocket.
package struct WebSocketLimits: Sendable {
    /// The maximum number of open connections.
    package var connections: Int
    /// The maximum number of connections from an IPv4 address or an IPv6 /64 network.
    ///
    /// Connections from this machine have no such limit.
    package var perAddress: Int
    /// The number of seconds within which a new connection must become a WebSocket, including the TLS handshake.
    package var upgradeSeconds: Int64
    /// The maximum number of bytes in a frame, and in each direction's buffer.
    package var bufferBytes: Int

    /// The number of seconds within which the broker must accept a connection.
    static let connectSeconds: Int64 = 3
    /// The number of seconds within which the broker must answer the client's first packet.
    static let firstPacketSeconds: Int64 = 10
    /// The maximum number of seconds for the client to read the last frame.
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
