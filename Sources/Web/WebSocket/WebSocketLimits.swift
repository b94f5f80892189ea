/// The bounds of MQTT over WebSocket.
package struct WebSocketLimits: Sendable {
    /// Connections that are open at once.
    package var connections: Int
    /// Connections of one source address (of IPv6 one /64) that are open at once; a proxy on this machine may have all.
    package var perAddress: Int
    /// How long a connection may take until it is a WebSocket, in seconds, TLS included.
    package var upgradeSeconds: Int64
    /// Bytes that are kept of one connection in each direction until the other side takes them; also the largest frame.
    package var bufferBytes: Int

    /// The time in which the broker has to accept a connection, in seconds.
    static let connectSeconds: Int64 = 3
    /// The time in which the broker has to have answered the client's first packet, in seconds.
    static let firstPacketSeconds: Int64 = 10
    /// The time in which the last frame has to be taken before the connection is closed, in seconds.
    static let farewellSeconds: Int64 = 1

    /// Gives the bounds.
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
